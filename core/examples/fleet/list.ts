/** A list of videos: an address per line, # begins a remark. */
import { createHash } from "node:crypto";
import type { ReadStream } from "node:fs";
import { open } from "node:fs/promises";
import process from "node:process";
import { createInterface } from "node:readline";

/** An address of the list; its id is the same for the same video, however it is signed. */
export interface Listed {
  line: number;
  address: string;
  id: string;
}

/** The addresses of a list; that of the standard input without a path. */
export async function* addressesIn(path: string | undefined): AsyncGenerator<Listed, undefined> {
  const input = path === undefined ? process.stdin : await openList(path);
  let line = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    const address = text.trim();
    if (address !== "" && !address.startsWith("#")) yield { line, address, id: idOf(address) };
  }
}

async function openList(path: string): Promise<ReadStream> {
  try {
    const file = await open(path);
    if (!(await file.stat()).isDirectory()) return file.createReadStream();
  } catch {}
  console.error(`The list can't be read: ${path}`);
  process.exit(2);
}

/** Names in small letters: S3, Google, Aliyun, CloudFront, tokens of CDNs. The rest of a query may name the video. */
const SIGNATURE =
  /^(x-(amz|goog|oss)-.*|signature|sig|expires|policy|key-pair-id|(aws|oss)accesskeyid|googleaccessid|security-token|token|access_token|hdnea|hdnts)$/;
/** Azure's names are so short that they count beside a `sig` alone. */
const AZURE = /^(s[eiprstv]|srt|spr|sip|sdd|ses|sk(oid|tid|t|e|s|v)|saoid|suoid|scid)$/;

function idOf(address: string): string {
  return createHash("sha256").update(unsigned(address)).digest("hex").slice(0, 32);
}

/** A list that is signed again names the same videos. */
function unsigned(address: string): string {
  if (!URL.canParse(address)) return address;
  const { search } = new URL(address);
  const pairs = search.slice(1).split("&");
  const isAzure = pairs.some((pair) => nameOf(pair) === "sig");
  const kept = pairs.filter((pair) => {
    const name = nameOf(pair);
    return !SIGNATURE.test(name) && !(isAzure && AZURE.test(name));
  });
  // Without a signature it stays as it is written, as in notes of earlier versions.
  if (kept.length === pairs.length) return address;
  const [place = ""] = address.split("?", 1);
  return kept.length === 0 ? place : `${place}?${kept.join("&")}`;
}

function nameOf(pair: string): string {
  const [[name = ""] = []] = new URLSearchParams(pair);
  return name.toLowerCase();
}
