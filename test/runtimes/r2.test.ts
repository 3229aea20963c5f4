/** Objects of a bucket as sources, in memory; `r2.all.test.ts` reads those of a real workerd. */
import type { R2BucketLike } from "../../core/source/r2.ts";
import type { R2ObjectLike } from "../../core/source/r2-object.ts";
import { type Bucket, type R2ObjectBody, testR2 } from "./edge/r2-cases.ts";

testR2(async (): Promise<Bucket> => {
  const objects = new Map<string, { bytes: Uint8Array; known: R2ObjectLike & { key: string } }>();
  let version = 0;
  return {
    async put(key, bytes, options) {
      const etag = `${++version}`;
      const known = { ...options, key, size: bytes.length, etag, httpEtag: `"${etag}"` };
      objects.set(key, { bytes, known });
    },
    async delete(key) {
      objects.delete(key);
    },
    head: async (key) => objects.get(key)?.known ?? null,
    async get(key: string, options: Partial<Parameters<R2BucketLike["get"]>[1]> = {}) {
      const object = objects.get(key);
      if (object === undefined) return null;
      const { bytes, known } = object;
      const { range = { offset: 0, length: known.size }, onlyIf = { etagMatches: known.etag } } = options;
      // Of another version it gives what is known, without a body.
      if (onlyIf.etagMatches !== known.etag) return known as R2ObjectBody;
      const body = new Response(bytes.slice(range.offset, range.offset + range.length)).body;
      return { ...known, range, body: body ?? new ReadableStream() };
    },
  };
});
