/** A video at an address: read by Range requests where the server allows it, else in one pass. */

import { digest } from "../content/digest.ts";
import { InputError } from "../errors/errors.ts";
import { decodeOrKeep } from "../text/decode-or-keep.ts";
import { abandon } from "../time/abort.ts";
import { kindOfBytes, kindOfType, mayBeText, otherKindError, SNIFF_SIZE } from "./answer-kind.ts";
import { download } from "./download.ts";
import { rangePieces, rangeSlices, rangesAhead } from "./range.ts";
import { singlePassSource } from "./single-pass.ts";
import type { ReadableSource } from "./source.ts";
import {
  checkAddress,
  dropBody,
  isPacked,
  lengthOf,
  refuseAnswer,
  requestUrl,
  type UrlFacts,
  type UrlFetch,
  unreadable,
} from "./url-request.ts";
import { versionName, versionOf } from "./version.ts";

export async function urlSource(url: URL, how: UrlFetch): Promise<ReadableSource> {
  checkAddress(url, "read the video", "openUrl");
  // A presigned address refuses HEAD, so one byte is asked for.
  const probe = await requestUrl(url, how, { range: "bytes=0-0" });
  const { status, headers } = probe;
  const { origin } = url;
  const size = /^bytes 0-0\/(\d{1,15})$/.exec(headers.get("content-range") ?? "")?.[1];
  if (status === 416)
    refuseAnswer(
      probe,
      new InputError("empty-source", `Cannot upload from ${origin}: the file there is empty`),
    );
  if (status !== 206 && !headers.has("content-range")) return await wholeSource(url, how, probe);
  // Ranges of different versions can't be told apart where nothing names the version.
  const isNamed = versionName(versionOf(headers)) !== undefined;
  if (status === 206 && size !== undefined && isNamed && !isPacked(headers))
    return await rangeSource(url, how, probe, Number(size));
  dropBody(probe);
  return await wholeSource(url, how, await requestUrl(url, how));
}

async function rangeSource(url: URL, how: UrlFetch, probe: Response, size: number): Promise<ReadableSource> {
  const facts = { ...factsOf(url, how, probe), size };
  checkSize(url, probe, size, LARGEST_BY_RANGES);
  const first = await firstByteOf(probe, how);
  if (!how.anyType && mayBeText(first)) await refuseText(url, how, facts);
  const { name, type } = facts;
  return {
    name,
    type,
    size,
    origin: url.origin,
    namesVersion: true,
    rereadable: true,
    identity: () => identityOf(url, facts),
    ...rangeSlices(url, how, facts),
    readAhead: () => rangesAhead(url, how, facts),
  };
}

async function wholeSource(url: URL, how: UrlFetch, answer: Response): Promise<ReadableSource> {
  const { status, body } = answer;
  if (status === 206 || status === 416)
    refuseAnswer(answer, unreadable(url, "gives neither the whole of it nor ranges that tell its length"));
  if (body === null)
    throw new InputError("empty-source", `Cannot upload from ${url.origin}: the answer has no body`);
  const facts = factsOf(url, how, answer);
  checkSize(url, answer, facts.size ?? 0, LARGEST_IN_ONE_PASS);
  const source = await singlePassSource(url, how, facts, body);
  const namesVersion = versionName(facts.version) !== undefined;
  return { ...source, origin: url.origin, namesVersion, identity: () => identityOf(url, facts) };
}

const GiB = 1024 ** 3;
/** Bytes of the largest video: parts grow with it, and one that is read in one pass is held by the part. */
const LARGEST_BY_RANGES = 5_000 * GiB;
const LARGEST_IN_ONE_PASS = 640 * GiB;

function checkSize(url: URL, answer: Response, size: number, largest: number): void {
  const state = `names ${size} bytes, and at most ${largest} can be read`;
  if (size > largest) refuseAnswer(answer, unreadable(url, state));
}

/** The facts of a video that its answer tells, unless it tells that it is none. */
function factsOf(url: URL, { anyType }: UrlFetch, answer: Response): UrlFacts {
  const { headers } = answer;
  const type = headers.get("content-type");
  const other = anyType ? undefined : kindOfType(type);
  if (other !== undefined) refuseAnswer(answer, otherKindError(other, url.origin));
  const name = nameOf(url, headers.get("content-disposition"));
  return { name, type: type ?? undefined, size: lengthOf(headers), version: versionOf(headers) };
}

/** A query may hold a signature that is new each time: a named version counts in its place. */
export function identityOf(url: URL, { size, version }: Omit<UrlFacts, "name" | "type">): Promise<string> {
  const name = versionName(version);
  const query = name === undefined ? unsignedQuery(url) : "";
  const parts = [url.origin + url.pathname, `${size ?? ""}`, name ?? ""];
  return digest(query === "" ? parts : [...parts, query]);
}

/** A byte that doesn't come is no failure yet: the requests that follow show why. */
async function firstByteOf({ headers, body }: Response, how: UrlFetch): Promise<number | undefined> {
  if (body === null) return undefined;
  const pieces = download(how, async () => body);
  const { value } = await pieces.next().catch(() => ({ value: undefined }));
  // An answer that is read to its end leaves its connection to the next; a server can't hold up the end of one that has
  // told its length.
  if (lengthOf(headers) === 1) await pieces.next().catch(() => {});
  how.signal?.throwIfAborted();
  abandon(() => pieces.return(undefined));
  return value?.[0];
}

async function refuseText(url: URL, how: UrlFetch, facts: UrlFacts & { size: number }): Promise<void> {
  const bytes = new Uint8Array(Math.min(facts.size, SNIFF_SIZE));
  let at = 0;
  for await (const piece of rangePieces(url, how, facts, 0, bytes.length, true)) {
    bytes.set(piece, at);
    at += piece.length;
  }
  const other = kindOfBytes(bytes);
  if (other !== undefined) throw otherKindError(other, url.origin);
}

/** Characters of a header that may name the file: far more than any name has. */
const LONGEST_DISPOSITION = 8_000;

export function nameOf(url: URL | undefined, header: string | null): string | undefined {
  const disposition = header?.slice(0, LONGEST_DISPOSITION) ?? "";
  const extended = /filename\*\s*=\s*[\w-]*'[^']*'([^;]+)/i.exec(disposition)?.[1];
  const given = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]+))/i.exec(disposition);
  // A backslash escapes these two alone: others are those of a path.
  const plain = given?.[1]?.replace(/\\(["\\])/g, "$1") ?? given?.[2];
  const last = url?.pathname.split("/").at(-1);
  const names = [decodeOrKeep(extended?.trim() ?? ""), plain?.trim(), decodeOrKeep(last ?? "")];
  return names.map((name) => name?.split(/[\\/]/).at(-1)).find(Boolean);
}

/** Names in small letters: signatures of S3 (versions 2 and 4), Google, Aliyun and CloudFront, and tokens of CDNs. */
const SIGNATURE_PARAMETERS =
  /^(sig(nature)?|expires|policy|key-pair-id|awsaccesskeyid|googleaccessid|ossaccesskeyid|(security-|access_)?token|hdnea|hdnts|x-(amz|goog|oss)-.*)$/s;
/** Shared access signatures of Azure: names so short that they count beside a `sig` alone. */
const AZURE_PARAMETERS = /^(s[eiprstv]|srt|spr|sip|sdd|ses|sk(oid|tid|t|e|s|v)|saoid|suoid|scid)$/;

/** The query of an address without what signs it, as it stands there: for a digest alone, since it may hold secrets all the same. */
export function unsignedQuery({ search }: URL): string {
  const pairs = search.slice(1).split("&");
  const isAzure = pairs.some((pair) => parameterIn(pair) === "sig");
  const isSignature = (name: string) =>
    SIGNATURE_PARAMETERS.test(name) || (isAzure && AZURE_PARAMETERS.test(name));
  return pairs.filter((pair) => pair !== "" && !isSignature(parameterIn(pair))).join("&");
}

function parameterIn(pair: string): string {
  const [[name = ""] = []] = new URLSearchParams(pair);
  return name.toLowerCase();
}
