/** Searches what a run has printed, thrown and stored for the word that every secret of a test bears. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { MARKER } from "../support/marker.ts";

export interface Leak {
  where: string;
  line: string;
}

/**
 * Where secrets belong: journals, which say so in their folder's name; and in a browser's profile the extension's
 * own storage (the token) and its list of uploads (what continues them, and where their videos are), which no page
 * can read. Firefox has both in one folder.
 */
const FOR_SECRETS =
  /journal|^Local Extension Settings$|^chrome-extension_[a-p]{32}_0\.indexeddb|^moz-extension\+\+\+/;

/** Everything else below a folder that holds the word. */
export async function search(folder: string, below = ""): Promise<Leak[]> {
  const leaks: Leak[] = [];
  for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
    const where = join(below, entry.name);
    if (entry.isDirectory()) {
      if (!FOR_SECRETS.test(entry.name)) leaks.push(...(await search(folder, where)));
      continue;
    }
    if (!entry.isFile()) continue;
    const text = await readFile(join(folder, where), "latin1");
    if (!text.includes(MARKER)) continue;
    const line = text.split("\n").find((each) => each.includes(MARKER)) ?? "";
    leaks.push({ where, line: line.replaceAll(MARKER, "«secret»").trim().slice(0, 160) });
  }
  return leaks;
}
