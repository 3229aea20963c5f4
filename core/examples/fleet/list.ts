/** A list of videos: an address per line, # begins a remark. */
import { createHash } from "node:crypto";
import type { ReadStream } from "node:fs";
import { open } from "node:fs/promises";
import process from "node:process";
import { createInterface } from "node:readline";
import { unsignedQuery } from "../../source/url.ts";

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

function idOf(address: string): string {
  return createHash("sha256").update(unsigned(address)).digest("hex").slice(0, 32);
}

/** A list that is signed again names the same videos. */
function unsigned(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  const kept = unsignedQuery(url);
  // An address without a signature stays as it is written, as in notes of earlier versions.
  if (kept === url.search.slice(1)) return address;
  const [place = ""] = address.split("?", 1);
  return kept === "" ? place : `${place}?${kept}`;
}
