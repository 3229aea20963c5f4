/**
 * The videos that a command names: files, all of a folder, addresses, and lists of these on the standard input. Each is
 * found when its turn comes, so that a list may be as long as it likes.
 *
 * @module
 */

import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import process from "node:process";
import { openFile } from "../disk/source.ts";
import { InputError } from "../errors.ts";
import { originOf } from "../redaction.ts";
import { mediaTypeOf } from "../source/media-type.ts";
import type { Uploadable } from "../source/open.ts";

/** A video that is to be uploaded. */
export interface NamedVideo {
  /** What the person calls it, without what may be secret in an address. */
  label: string;
  /** Opens it. */
  open(): Promise<Uploadable>;
}

/** The videos that operands of a command line stand for. */
export async function* videosOf(operands: Iterable<string>): AsyncGenerator<NamedVideo, undefined> {
  for (const operand of operands) {
    if (operand === "-") for await (const line of linesOfInput()) yield* videosAt(line);
    else yield* videosAt(operand);
  }
}

async function* videosAt(place: string): AsyncGenerator<NamedVideo, undefined> {
  const facts = isAddress(place) ? undefined : await stat(place).catch(() => undefined);
  if (facts?.isDirectory()) yield* videosIn(place);
  else yield videoAt(place);
}

/** A file or an address; what is wrong with it is told when it is opened. */
export function videoAt(place: string): NamedVideo {
  if (!isAddress(place)) return { label: place, open: () => openFile(place) };
  return {
    label: labelOf(place),
    open: async () => {
      if (URL.canParse(place)) return new URL(place);
      throw new InputError("invalid-source", "Cannot read the video: its address is not a valid one");
    },
  };
}

/** Whether a word is an address rather than a path. */
export function isAddress(word: string): boolean {
  return /^https?:\/\//i.test(word);
}

/** Videos of a folder and of those below it, in the order of their names; hidden ones and links to folders are left out. */
async function* videosIn(folder: string): AsyncGenerator<NamedVideo, undefined> {
  const found = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  if (found === undefined) return yield { label: folder, open: async () => unreadable() };
  for (const entry of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith(".")) continue;
    if (entry.isDirectory()) yield* videosIn(path);
    else if (mediaTypeOf(undefined, entry.name) !== undefined && (await isFile(path))) yield videoAt(path);
  }
}

function unreadable(): never {
  throw new InputError("invalid-source", "Cannot read the folder: it can't be opened");
}

async function isFile(path: string): Promise<boolean> {
  // Links are followed here.
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

/** An address by its origin, since it may be signed, and by what looks like the name of a file. */
function labelOf(address: string): string {
  const origin = originOf(address);
  const last = URL.canParse(address) ? basename(new URL(address).pathname) : "";
  return /^[\w.-]{1,80}\.\w{2,5}$/.test(last) ? `${origin}/…/${last}` : origin;
}

async function* linesOfInput(): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of process.stdin) {
    const lines = (rest + decoder.decode(piece as Uint8Array, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? "";
    yield* lines.filter((line) => line.trim() !== "");
  }
  if (rest.trim() !== "") yield rest;
}
