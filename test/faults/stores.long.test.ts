/**
 * Core against the stores that real services run: sizes around their part sizes, slow calls to the store, breaks, the
 * store away, a kill, two processes. What counts is an upload that says it is whole and isn't.
 *
 * `UPCUT_FILES=long npx vitest run test/faults/stores`, with
 * - `UPCUT_STORE`: `tus-s3-1` or `tus-s3-2`, by default both, one after the other;
 * - `UPCUT_CLIENT`: `node` (default), `bun`, `deno`, or `chromium`, which uploads from a page of an extension;
 * - `UPCUT_COUNT`: uploads per store, by default 200 in Node and 50 elsewhere;
 * - `UPCUT_SEED`: gives the same sizes, latencies and places of faults again;
 * - `UPCUT_FIRST`: the number of the first upload, to repeat a single one that was told, by default 0.
 */
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { parseStoreName, REAL_STORES } from "../service/stores.ts";
import { writeContent } from "../support/content.ts";
import { useOpened } from "../support/use-opened.ts";
import { CLIENTS, videoFolder } from "./lab.ts";
import { inWords, rowsOf, SIZES, uploadToStore, type Video } from "./stores.ts";

const { UPCUT_STORE, UPCUT_CLIENT = "node", UPCUT_COUNT, UPCUT_SEED, UPCUT_FIRST } = process.env;
const stores = UPCUT_STORE === undefined ? REAL_STORES : [parseStoreName(UPCUT_STORE)];
const client = CLIENTS.find((each) => each === UPCUT_CLIENT);
if (client === undefined) throw new Error(`UPCUT_CLIENT: expected ${CLIENTS.join(", ")}`);
const count = Number(UPCUT_COUNT ?? (client === "node" ? 200 : 50));
const seed = Number(UPCUT_SEED ?? Date.now() % 1_000_000);

const videos = new Map<number, Video>();
const folder = useOpened(videoFolder);
beforeAll(async () => {
  for (const size of SIZES) {
    const path = join(folder.path, `${size}.mp4`);
    videos.set(size, { path, sha256: await writeContent(path, size) });
  }
});

test.each(stores)(
  "what says it is whole is whole at %s",
  async (store) => {
    const began = Date.now();
    const uploads = await uploadToStore({
      ...{ store, client, count, seed, videos },
      first: Number(UPCUT_FIRST ?? 0),
      say: (line) => console.log(line),
    });
    const minutes = ((Date.now() - began) / 60_000).toFixed(1);
    console.log(`${store}, ${client}, ${count} uploads, ${minutes} min, UPCUT_SEED=${seed}`);
    console.table(rowsOf(uploads));
    const problems = uploads.filter(({ wrong, errors }) => wrong !== undefined || errors.length > 0);
    expect(problems.map(inWords)).toEqual([]);
  },
  7_200_000,
);
