/**
 * The built extension against the stores that real services run: sizes around their part sizes, slow calls to the
 * store, breaks, the store away, the browser killed. What counts is a row that says "Uploaded" over another content.
 *
 * `UPCUT_LONG=1 npx vitest run --config test/e2e/vitest.config.ts test/e2e/stores.long`, with
 * - `UPCUT_STORE`: `tus-s3-1` or `tus-s3-2`, by default both, one after the other;
 * - `UPCUT_COUNT`: uploads per store, by default 50;
 * - `UPCUT_SEED`: gives the same sizes, latencies and places of faults again;
 * - `UPCUT_FIRST`: the number of the first upload, to repeat a single one that was told, by default 0;
 * - `UPCUT_CLIENT_ROOT`: another checkout of the project whose built extension is tried, as a control.
 */
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { inWords, rowsOf } from "../faults/stores.ts";
import { parseStoreName, REAL_STORES } from "../service/stores.ts";
import { uploadByExtension } from "./store-uploads.ts";

const { UPCUT_STORE, UPCUT_COUNT, UPCUT_SEED, UPCUT_FIRST, UPCUT_CLIENT_ROOT } = process.env;
const stores = UPCUT_STORE === undefined ? REAL_STORES : [parseStoreName(UPCUT_STORE)];
const count = Number(UPCUT_COUNT ?? 50);
const seed = Number(UPCUT_SEED ?? Date.now() % 1_000_000);
const folder = UPCUT_CLIENT_ROOT && resolve(UPCUT_CLIENT_ROOT, ".output/chrome-mv3");

test.each(stores)(
  "what says it is uploaded is whole at %s",
  async (store) => {
    const began = Date.now();
    const uploads = await uploadByExtension({
      ...{ store, count, seed, ...(folder && { folder }) },
      first: Number(UPCUT_FIRST ?? 0),
      say: (line) => console.log(line),
    });
    const minutes = ((Date.now() - began) / 60_000).toFixed(1);
    console.log(`${store}, the extension, ${count} uploads, ${minutes} min, UPCUT_SEED=${seed}`);
    console.table(rowsOf(uploads));
    const problems = uploads.filter(({ wrong, errors }) => wrong !== undefined || errors.length > 0);
    expect(problems.map(inWords)).toEqual([]);
  },
  7_200_000,
);
