/** The answer to a request that the caller has made: its body is read once and in order. */
import { InputError } from "../errors/errors.ts";
import { isObject } from "../text/is-object.ts";
import { kindOfType, otherKindError } from "./answer-kind.ts";
import type { ReadableSource } from "./source.ts";
import { type StreamReading, streamSource } from "./stream.ts";
import { identityOf, nameOf } from "./url.ts";
import { isPacked, lengthOf, refusedStatus } from "./url-request.ts";
import { conditionOf, versionOf } from "./version.ts";

export function isResponse(value: unknown): value is Response {
  if (!isObject(value) || !isObject(value.headers)) return false;
  const isAnswer = typeof value.ok === "boolean" && typeof value.bodyUsed === "boolean";
  return isAnswer && typeof value.headers.get === "function";
}

/**
 * @throws {InputError} `invalid-source`, `empty-source` or `not-a-video`.
 * @throws {UploadError} `source-refused` or `source-unreadable` for an answer that is no success.
 */
export async function responseSource(
  response: Response,
  { size, anyType }: { size?: number | undefined; anyType?: boolean | undefined },
  reading: StreamReading,
): Promise<ReadableSource> {
  const { headers, status, body } = response;
  const url = URL.canParse(response.url) ? new URL(response.url) : undefined;
  const origin = url?.origin ?? "its server";
  if (status === 0) throw unusable("a page may not read it. Ask for it with CORS, or give its address");
  if (!response.ok) throw refusedStatus(origin, response);
  if (response.bodyUsed || (body !== null && "locked" in body && body.locked === true))
    throw unusable("its body has been read already. Fetch it again, or give a clone()");
  if (!isWhole(response)) throw unusable("it holds a range of the video. Ask for it without a range");
  if (body === null) throw new InputError("empty-source", "Cannot upload the response: it has no body");
  const type = headers.get("content-type");
  const other = anyType ? undefined : kindOfType(type);
  if (other !== undefined) throw otherKindError(other, origin);
  const version = versionOf(headers);
  const told = { name: nameOf(url, headers.get("content-disposition")), type: type ?? undefined };
  // A page isn't told of another origin whether the length is that of a packed body.
  const isHidden = response.type === "cors" && !headers.has("content-encoding");
  const facts = { ...told, size: size ?? (isHidden ? undefined : lengthOf(headers)), version };
  const source = await streamSource(body, facts, reading);
  // Strong ones alone: a weak one stays the same where bytes differ.
  if (url === undefined || conditionOf(version) === undefined || isPacked(headers)) return source;
  return { ...source, origin: url.origin, namesVersion: true, identity: () => identityOf(url, facts) };
}

function unusable(state: string): InputError {
  return new InputError("invalid-source", `Cannot upload the response: ${state}`);
}

function isWhole({ status, headers }: Response): boolean {
  if (status !== 206) return true;
  const [, end, size] = /^bytes 0-(\d{1,15})\/(\d{1,15})$/.exec(headers.get("content-range") ?? "") ?? [];
  return size !== undefined && Number(end) + 1 === Number(size);
}
