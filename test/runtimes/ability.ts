/**
 * One ability of the module, in a process that may do no more than the ability needs: `ability.ts NAME PLACES`. It reads
 * no environment itself, and prints the asset's id, or nothing for a call that makes none.
 */
import process from "node:process";
import { fileJournal, openFile } from "../../core/file.ts";
import { openHls } from "../../core/hls/mod.ts";
import { createClient, openUrl, type Uploadable, type UploadOptions, upload } from "../../core/mod.ts";
import type { Places } from "./permissions.ts";

const [name = "", text = "{}"] = process.argv.slice(2);
const places = JSON.parse(text) as Places;
const client = createClient({
  baseUrl: places.ADDRESS,
  token: places.TOKEN,
  paths: { asset: "/api/asset/{id}" },
});
const send = async (source: Uploadable, options: UploadOptions = {}) => {
  const { asset, verified } = await upload(client, source, options);
  if (options.verify === true && verified !== "sha256") throw new Error(`verified is ${verified}`);
  console.log(asset.id);
};
const file = new File([new Uint8Array(100_000).fill(7)], "video.mp4", { lastModified: 1 });

const abilities: Record<string, () => Promise<void>> = {
  "calls of a client": () => client.terminateStream("launch-stream"),
  "upload() of bytes": () => send(file),
  "openFile()": async () => send(await openFile(places.FILE)),
  "openFile() and fileJournal()": async () =>
    send(await openFile(places.FILE), { journal: fileJournal(places.JOURNAL) }),
  "openFile() and verify": async () => send(await openFile(places.FILE), { verify: true }),
  "openUrl()": async () => send(await openUrl(new URL(places.VIDEO))),
  "openHls()": async () => send(await openHls(new URL(places.PLAYLIST))),
};
await abilities[name]?.();
