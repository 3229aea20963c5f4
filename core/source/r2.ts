/** Objects of an R2 bucket as sources, read in ranges through the worker's binding. */

import { InputError, UploadError } from "../errors/errors.ts";
import { refusedOption } from "../options/checks.ts";
import { describeValue } from "../redaction/redaction.ts";
import { hasMembers } from "../text/is-object.ts";
import { abandon, untilAborted } from "../time/abort.ts";
import { resumedRange } from "./download.ts";
import { factsOfObject, type R2ObjectLike } from "./r2-object.ts";
import type { ReadableSource, Slice, Source } from "./source.ts";
import { STALL_TIMEOUT } from "./url-request.ts";

/**
 * Opens an object of an R2 bucket for `upload()`, in a worker or a Workflow.
 *
 * Nothing of it is held but what is on its way: it is read in ranges, each of them only if the object is still the same. One
 * that was replaced meanwhile ends the upload with `source-changed`; one that is there again under the same key and version is
 * resumed, in another worker too.
 *
 * @param bucket the worker's binding: an `R2Bucket`
 * @param key of the object; what follows its last slash is the file's name
 * @returns the object, for `upload()`
 * @throws {InputError} `invalid-source` if there is no such object.
 * @throws {UploadError} `source-unreadable` where the bucket can't be asked.
 * @example Upload an object under a name of its own
 * ```ts
 * import { type Requester, upload } from "@upcut/core";
 * import { openR2Object } from "@upcut/core/edge";
 *
 * const send = async (requester: Requester, bucket: Parameters<typeof openR2Object>[0], key: string) =>
 *   await upload(requester, await openR2Object(bucket, key), { name: `From ${key}` });
 * console.log(typeof send); // "function"
 * ```
 */
export async function openR2Object(
  bucket: {
    /** The facts of an object. */
    head(key: string): Promise<{
      /** Bytes of the whole object. */
      readonly size: number;
      /** Tells one version of it from another. */
      readonly etag: string;
      /** Told by whoever put it there. */
      readonly httpMetadata?: { readonly contentType?: string };
    } | null>;
    /** A range of an object, if it is still the same. */
    get(
      key: string,
      options: { range: { offset: number; length: number }; onlyIf: { etagMatches: string } },
    ): Promise<{ readonly etag: string; readonly body?: ReadableStream<Uint8Array> } | null>;
  },
  key: string,
): Promise<Source> {
  const what = "a binding to an R2 bucket, with head() and get()";
  if (!hasMembers(bucket) || typeof bucket.head !== "function" || typeof bucket.get !== "function")
    throw refusedOption("open an object", "the bucket", bucket, what);
  if (typeof key !== "string" || key === "")
    throw refusedOption("open an object", "the key", key, "a text that isn't empty");
  const asked = async () => await bucket.head(key);
  const object = await answerOf(asked()).catch(() => {
    throw new UploadError("source-unreadable", "Cannot read the video: its bucket gives no answer", {
      retryable: true,
    });
  });
  if (object === null)
    throw new InputError(
      "invalid-source",
      `Cannot open ${describeValue(key)}: there is no such object in the bucket`,
    );
  return objectSource(bucket, key, object);
}

/** The part of an R2 bucket that is used: the binding of a worker is one. */
export type R2BucketLike = Parameters<typeof openR2Object>[0];

function objectSource(bucket: R2BucketLike, key: string, object: R2ObjectLike): ReadableSource {
  const { size, etag } = object;
  let stopper = new AbortController();

  /** @throws {UploadError} `source-changed` where the object is gone, or another one. */
  async function open(offset: number, end: number, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const range = { offset, length: end - offset };
    const asked = async () => await bucket.get(key, { range, onlyIf: { etagMatches: etag } });
    const answer = asked();
    const found = await answerOf(answer, signal).catch((error) => {
      // A body that comes all the same is not wanted any more.
      abandon(async () => await (await answer)?.body?.cancel());
      throw error;
    });
    // An object that doesn't match comes without a body.
    if (found?.body !== undefined && found.body !== null) return found.body;
    const state = found === null ? "it is no longer in the bucket" : "the object in the bucket was replaced";
    throw new UploadError("source-changed", `Cannot read the video: ${state}. Start again`);
  }

  return {
    ...factsOfObject(key, object),
    rereadable: true,
    async slice(start, end): Promise<Slice> {
      const stop = Math.min(end, size);
      return {
        size: stop - start,
        last: stop === size,
        pieces() {
          const { signal } = stopper;
          const place = { origin: "the bucket" };
          return resumedRange({ start, end: stop, open: (at) => open(at, stop, signal), place }, { signal });
        },
      };
    },
    async close() {
      stopper.abort();
      stopper = new AbortController();
    },
  };
}

/** Waits for a bucket as long as for a server, since no request to one has a limit of its own. */
function answerOf<T>(answer: Promise<T>, signal?: AbortSignal): Promise<T> {
  const late = () => new Error("the bucket gives no answer");
  return untilAborted(answer, signal, { milliseconds: STALL_TIMEOUT, late });
}
