/** Notes in a folder of what was seen there, for other processes too, where the date of a file tells nothing. */
import { lstat, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../errors/unexpected-failure.ts";
import { probe, removeFile } from "./folder.ts";

/** All of a file that a change of it changes, but for the text of an entry, which holds a location. */
export interface ObservedState {
  text: string;
  size: number;
  mtimeMs: number;
}

/** Characters of a claim or a note: more than any has. */
const LARGEST = 4096;

export async function readState(file: string): Promise<ObservedState | undefined> {
  try {
    const facts = await lstat(file);
    const isReadable = facts.isFile() && facts.size <= LARGEST && /\.(claim|seen)$/.test(file);
    const text = isReadable ? await readFile(file, "utf8") : "";
    // Runtimes disagree about fractions.
    return { text, size: facts.size, mtimeMs: Math.floor(facts.mtimeMs) };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Removes a file, and what was noted of it. */
export async function removeObserved(folder: string, name: string): Promise<void> {
  for (const file of [join(folder, name), observationFile(folder, name)]) await removeFile(file);
}

function observationFile(folder: string, name: string): string {
  return join(folder, name.replace(/(?:\.claim)?$/, ".seen"));
}

/**
 * True if a file was seen unchanged for so long. Its own date can't be compared with the clock of this machine, so what is
 * seen is noted in the folder, and its age is told by the folder's own clock: as the difference between the note and a file
 * that is made now.
 */
export async function isUnchangedFor(folder: string, name: string, milliseconds: number): Promise<boolean> {
  const seen = await readState(join(folder, name));
  if (seen === undefined) return false;
  const state = JSON.stringify(seen);
  const file = observationFile(folder, name);
  const note = await readState(file);
  if (note?.text === state) {
    const age = (await probe(folder)).mtimeMs - note.mtimeMs;
    if (age >= 0) return age > milliseconds;
  }
  await removeFile(file);
  await writeFile(file, state, { flag: "wx", mode: 0o600 }).catch((error: unknown) => {
    // Another process has written the note just now.
    if (codeOf(error) !== "EEXIST") throw error;
  });
  // Another process may have removed the file, and looked for its note, just before the note was written.
  if ((await readState(join(folder, name))) === undefined) await removeFile(file);
  return false;
}
