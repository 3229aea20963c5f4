/** Uploads a file of the disk: `upload-file.ts PATH METHOD`; prints the asset's id. */
import process from "node:process";
import { openFile } from "../../core/file.ts";
import { createClient, upload } from "../../core/mod.ts";

const { UPCUT_URL = "", UPCUT_TOKEN = "" } = process.env;
const [path = "", method] = process.argv.slice(2);
const client = createClient({ baseUrl: UPCUT_URL, token: UPCUT_TOKEN });
const { asset } = await upload(client, await openFile(path), {
  method: method === "direct" ? "direct" : "resumable",
  retry: { attempts: 0 },
});
console.log(asset.id);
