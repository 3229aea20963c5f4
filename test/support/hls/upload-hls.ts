/** Uploads a video in pieces: `upload-hls.ts ADDRESS JOURNAL`; prints what has arrived, and the asset's id. */
import process from "node:process";
import { fileJournal } from "../../../core/file.ts";
import { openHls } from "../../../core/hls/mod.ts";
import { createClient, upload } from "../../../core/mod.ts";

const { UPCUT_URL = "", UPCUT_TOKEN = "" } = process.env;
const [address = "", journal = ""] = process.argv.slice(2);
const client = createClient({ baseUrl: UPCUT_URL, token: UPCUT_TOKEN });
let arrived = 0;
const { asset, resumed, size } = await upload(client, await openHls(new URL(address)), {
  journal: fileJournal(journal),
  onProgress({ acknowledged }) {
    if (acknowledged > arrived) console.log(`arrived ${acknowledged}`);
    arrived = Math.max(arrived, acknowledged);
  },
});
console.log(`asset ${asset.id} ${resumed ? "resumed" : "new"} ${size}`);
