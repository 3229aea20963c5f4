/** Uploads generated content as a stream of unknown length: `upload-stream.ts SIZE`; prints the asset's id. */
import process from "node:process";
import { createClient, upload } from "../../../core/mod.ts";
import { contentStream } from "../content.ts";

const { UPCUT_URL = "", UPCUT_TOKEN = "" } = process.env;
const size = Number(process.argv[2]);
console.log("ready");
// The parent reads the memory of a runtime that has loaded everything and done nothing.
await new Promise((resolve) => setTimeout(resolve, 500));
const client = createClient({ baseUrl: UPCUT_URL, token: UPCUT_TOKEN });
const { asset, size: sent } = await upload(client, contentStream(size), { filename: "stream.mp4" });
console.log(`asset ${asset.id} ${sent}`);
