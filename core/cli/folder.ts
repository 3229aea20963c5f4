/** The files of a folder that are videos. */
import type { Dirent, Stats } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { mediaTypeOf } from "../media-type.ts";
import { isVideoByContent } from "../source/beginning.ts";
import type { Matcher } from "./glob.ts";

/** Which files are taken. */
export interface FolderRules {
  /** Those that match one of these; all where there is none. */
  include: readonly Matcher[];
  exclude: readonly Matcher[];
}

/** A file, or a folder that can't be read. */
export interface FoundFile {
  path: string;
  /** Size and kind, as the system tells them: nothing where it can't be asked. */
  facts?: Stats | undefined;
  isFolder?: true;
}

/**
 * The videos of a folder and of those below it, in the order of their names. What is hidden, packages (node_modules) and links
 * to folders are left out.
 */
export async function* videosIn(
  folder: string,
  rules: FolderRules,
  below = "",
): AsyncGenerator<FoundFile, undefined> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return yield { path: folder, isFolder: true };
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    const relative = `${below}${entry.name}`;
    if (isLeftOut(entry) || isExcluded(relative, rules)) continue;
    if (entry.isDirectory()) yield* videosIn(path, rules, `${relative}/`);
    else if (mediaTypeOf(undefined, entry.name) !== undefined && isIncluded(relative, rules)) {
      // Links are followed here. One that leads nowhere, and a name that is no UTF-8, fail by their names when they are opened.
      const facts = await stat(path).catch(() => undefined);
      if (facts === undefined || (facts.isFile() && (await isVideoFile(path)))) yield { path, facts };
    }
  }
}

function isLeftOut(entry: Dirent): boolean {
  return entry.name.startsWith(".") || (entry.name === "node_modules" && entry.isDirectory());
}

/** The end of a folder's name lets "drafts/**" match it, so that it isn't walked. */
function isExcluded(path: string, { exclude }: FolderRules): boolean {
  return exclude.some((matches) => matches(path) || matches(`${path}/`));
}

function isIncluded(path: string, { include }: FolderRules): boolean {
  return include.length === 0 || include.some((matches) => matches(path));
}

/** True for a video by its content, where the name leaves that open; a file that can't be read fails when it is opened. */
export async function isVideoFile(path: string): Promise<boolean> {
  return await isVideoByContent(basename(path), (size) => beginningOf(path, size)).catch(() => true);
}

async function beginningOf(path: string, size: number): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const { bytesRead, buffer } = await file.read(new Uint8Array(size), 0, size, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
