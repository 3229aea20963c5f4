/** Playlists and manifests that a command names. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openHls } from "../../../core/hls/mod.ts";
import { useService } from "../../service/use-service.ts";
import { sha256 } from "../../support/content.ts";
import { byTimeline, manifest } from "../../support/hls/dash-manifest.ts";
import { bytesOf } from "../../support/hls/hls-original.ts";
import { mediaPlaylist, pieceLines } from "../../support/hls/hls-server.ts";
import { useHls } from "../../support/hls/use-hls.ts";
import { MARKER } from "../../support/marker.ts";
import { startCliHere } from "../../support/programs/run-here.ts";
import { useFolder } from "../../support/use-folder.ts";

const service = useService();
const hls = useHls();
const journals = useFolder("journal");

const at = (path: string) => `${hls.origin}${path}?signature=${MARKER}`;
const cli = async (args: string[], input = "") =>
  await startCliHere(
    args,
    { UPCUT_URL: service.baseUrl, UPCUT_TOKEN: service.token, UPCUT_JOURNAL: journals.path },
    input,
  ).ended();
const hashAt = async (path: string) => sha256(await bytesOf(await openHls(new URL(path, hls.origin))));

test("upcut upload makes one file of a playlist and of a manifest, each once", async () => {
  hls.files.set("/talk/manifest.mpd", manifest(byTimeline));
  const list = [at("/separate/main.m3u8"), at("/talk/manifest.mpd")].join("\n");
  const { code, stdout, stderr } = await cli(["upload", "-"], list);
  const leftOut = `Left out of ${hls.origin}/…/main.m3u8: the sound in "de" (--language chooses another)\n2 uploaded\n`;
  expect({ code, stderr }).toEqual({ code: 0, stderr: leftOut });
  expect(stdout).toContain(`${hls.origin}/…/main.m3u8`);
  const assets = await service.assets();
  const stored = assets.map(async ({ asset }) => [asset.name, (await service.whole(asset.id)).sha256]);
  expect(Object.fromEntries(await Promise.all(stored))).toEqual({
    "separate.mp4": await hashAt("/separate/main.m3u8"),
    "talk.mp4": await hashAt("/talk/manifest.mpd"),
  });
  expect((await cli(["upload", "-"], list)).stderr).toContain("2 were there already");
});

test("upcut upload tells by how much a video ends earlier than its playlist says", async () => {
  const lines = [...pieceLines(["0.m4s"]), ...pieceLines(["1.m4s"], 4)];
  hls.files.set("/fmp4/index.m3u8", mediaPlaylist(['#EXT-X-MAP:URI="init.mp4"', ...lines]));
  const { code, stderr } = await cli(["upload", `${hls.origin}/fmp4/index.m3u8`]);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: `Left out of ${hls.origin}/…/index.m3u8: 2 sec that its playlist names and its pieces lack\n`,
  });
});

test.each([
  ["upload", "--language"],
  ["upload", "--quality"],
  ["discard", "--language"],
])("upcut %s names what a playlist has in place of a wrong %s", async (command, option) => {
  const { code, stderr } = await cli([command, option, "no", `${hls.origin}/separate/main.m3u8`]);
  expect(code).toBe(1);
  expect(stderr).toContain(
    `${option} is "no", expected ${option === "--quality" ? '"90p-95000"' : '"en" or "de"'}`,
  );
});

test("upcut upload asks for the address of a playlist on disk", async () => {
  const path = join(journals.path, "main.m3u8");
  await writeFile(path, "#EXTM3U");
  const { code, stderr } = await cli(["upload", path]);
  expect(code).toBe(1);
  expect(stderr).toContain("a playlist is read at an address. Give its https:// address");
});

test("upcut advises to wait for the end of a live stream", async () => {
  hls.files.set("/live.m3u8", "#EXTM3U\n#EXTINF:2,\n/ts/0.ts");
  const { stderr } = await cli(["upload", `${hls.origin}/live.m3u8`]);
  expect(stderr).toContain("a live stream that hasn't ended. Upload it once it has ended\n");
});
