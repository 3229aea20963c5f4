/** The recipe for many videos, as README has it: `upload-once.ts FOLDER` prints a line of JSON for each video. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileJournal, openFile } from "../../../core/file.ts";
import { createClient, uploadAll } from "../../../core/mod.ts";

const { UPCUT_URL = "", UPCUT_TOKEN = "", UPCUT_JOURNAL = "" } = process.env;
const [folder = ""] = process.argv.slice(2);

const client = createClient({ baseUrl: UPCUT_URL, token: UPCUT_TOKEN });
const names = (await readdir(folder)).sort();
const videos = names.map((name) => ({ source: () => openFile(join(folder, name)), data: name }));
const options = { concurrency: 4, journal: fileJournal(UPCUT_JOURNAL), once: true };
for await (const { source, result, error } of uploadAll(client, videos, options))
  console.log(JSON.stringify({ name: source.data, asset: result?.asset.id, code: error?.code }));
