/** Objects of a bucket as sources, in memory; `edge-r2.all.test.ts` reads those of a real workerd. */
import { type Bucket, testR2 } from "./edge/r2-cases.ts";

testR2(async (): Promise<Bucket> => {
  const objects = new Map<string, { bytes: Uint8Array; size: number; etag: string; httpMetadata?: object }>();
  let version = 0;
  return {
    async put(key, bytes, options) {
      objects.set(key, { ...options, bytes, size: bytes.length, etag: `${++version}` });
    },
    async delete(key) {
      objects.delete(key);
    },
    head: async (key) => objects.get(key) ?? null,
    async get(key, { range: { offset, length }, onlyIf }) {
      const object = objects.get(key);
      if (object === undefined) return null;
      const { bytes, ...known } = object;
      // Of another version it gives what is known, without a body.
      if (onlyIf.etagMatches !== known.etag) return known;
      const body = new Response(bytes.slice(offset, offset + length)).body ?? new ReadableStream();
      return { ...known, body };
    },
  };
});
