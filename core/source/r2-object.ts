/** Objects of an R2 bucket: another call knows them again by their key and version. */
import { digest } from "../content/digest.ts";
import { InputError } from "../errors/errors.ts";
import { describeValue } from "../redaction/redaction.ts";
import { isObject } from "../text/is-object.ts";
import type { ReadableSource } from "./source.ts";
import { type StreamReading, streamSource } from "./stream.ts";

export interface R2ObjectLike {
  readonly size: number;
  /** Tells one version of it from another. */
  readonly etag: string;
  /** The metadata that were given when it was put there. */
  readonly httpMetadata?: { readonly contentType?: string };
}

export function factsOfObject(
  key: string,
  { size, etag, httpMetadata }: R2ObjectLike,
): Pick<ReadableSource, "name" | "type" | "identity"> & { size: number } {
  return {
    name: key.split("/").at(-1) || undefined,
    type: httpMetadata?.contentType || undefined,
    size,
    identity: () => digest(["r2", key, `${size}`, etag]),
  };
}

export function isR2Object(value: unknown): value is R2ObjectLike & { key: string; body?: unknown } {
  if (!isObject(value)) return false;
  return (
    ["key", "etag", "httpEtag"].every((name) => typeof value[name] === "string") &&
    typeof value.size === "number"
  );
}

/** @throws {InputError} `invalid-source` where the bytes are missing, a part of the object, or being read already. */
export async function r2ObjectSource(
  object: R2ObjectLike & { key: string; body?: unknown },
  reading: StreamReading,
): Promise<ReadableSource> {
  const { key, size } = object;
  const refused = (state: string) => {
    const advice = "Get it once more, or give await openR2Object(bucket, key)";
    return new InputError("invalid-source", `Cannot upload ${describeValue(key)}: ${state}. ${advice}`);
  };
  let body: unknown;
  try {
    ({ body } = object);
    // A response refuses a stream that somebody reads or has read. `bodyUsed` doesn't tell: behind the binding that Node
    // reaches through a proxy it is true once `body` was looked at, and `body` itself throws there after a reading.
    if (body instanceof ReadableStream) new Response(body);
  } catch {
    throw refused("its bytes have been read already");
  }
  if (!(body instanceof ReadableStream)) throw refused("its bytes were not asked for, or have changed");
  if (!isWhole(object)) throw refused("it is only a range of the object");
  const { name, type, identity } = factsOfObject(key, object);
  return { ...(await streamSource(body, { size }, reading)), name, type, identity };
}

function isWhole({ size, ...object }: R2ObjectLike): boolean {
  const range = "range" in object && isObject(object.range) ? object.range : {};
  const { offset = 0, length = size, suffix = size } = range;
  return offset === 0 && Number(length) >= size && Number(suffix) >= size;
}
