/** Uploads many small sources from a list that is made as it is read: `upload-many.ts COUNT SIZE AT_A_TIME`. */
import process from "node:process";
import { createClient, uploadAll } from "../../../core/mod.ts";
import { content } from "../content.ts";

const { UPCUT_URL = "", UPCUT_TOKEN = "" } = process.env;
const [count = 0, size = 0, concurrency = 1] = process.argv.slice(2).map(Number);

async function* sources() {
  for (let seed = 1; seed <= count; seed++)
    yield { source: content(size, seed), filename: `video-${seed}.mp4` };
}

const client = createClient({ baseUrl: UPCUT_URL, token: UPCUT_TOKEN });
const began = performance.now();
let uploaded = 0;
for await (const { error } of uploadAll(client, sources(), { concurrency })) {
  if (error !== undefined) throw error;
  uploaded++;
}
console.log(`uploaded ${uploaded} in ${Math.round(performance.now() - began)} ms`);
