/** Looks at what was chosen or dropped before anything is made of it. */
import { isVideoByContent, mayBeVideo } from "../../core/extension.ts";
import { plural, t } from "./translate.ts";

/** A file, with the handle that outlives the browser where there is one. */
export interface ChosenFile {
  file: File;
  handle?: FileSystemFileHandle;
}

export interface Checked {
  good: ChosenFile[];
  /** Says in one sentence why the others are refused; empty where there are none. */
  problem: string;
}

export interface Dropped {
  files: ChosenFile[];
  emptyFolders: string[];
}

/** Fewer bytes don't even say what kind of a video they begin. */
const LEAST_BYTES = 4;

/** By type, name and size alone: a file dialog ends the popup, so there is no time to read anything. */
export function checkFiles({ files, emptyFolders }: Dropped): Checked {
  const empty: string[] = [];
  const others: string[] = [];
  const good = files.filter(({ file }) => {
    if (!mayBeVideo(file.type, file.name)) others.push(file.name);
    else if (file.size === 0) empty.push(file.name);
    else if (file.size < LEAST_BYTES) others.push(file.name);
    else return true;
    return false;
  });
  const parts = [
    ...told(others, "list.notVideo", "list.notVideos"),
    ...told(empty, "list.emptyFile", "list.emptyFiles"),
    ...told(emptyFolders, "list.emptyFolder", "list.emptyFolders"),
  ];
  return { good, problem: parts.join(" ") };
}

function told(
  names: string[],
  one: "list.notVideo" | "list.emptyFile" | "list.emptyFolder",
  many: "list.notVideos" | "list.emptyFiles" | "list.emptyFolders",
): string[] {
  const [name] = names;
  if (name === undefined) return [];
  return [names.length === 1 ? t(one, { name }) : plural(many, names.length)];
}

/** The videos in a dropped folder and in those below it, by their paths. */
export async function videosIn(folder: FileSystemDirectoryHandle): Promise<ChosenFile[]> {
  return inOrder(await walk(folder, ""));
}

/** The same of a chosen folder, whose files name their paths. */
export async function videosAmong(chosen: readonly ChosenFile[]): Promise<Dropped> {
  const found: Found[] = [];
  let name = "";
  for (const each of chosen) {
    const [root = "", ...parts] = each.file.webkitRelativePath.split("/");
    name = root;
    const isIn = parts.every((part, at) => isLookedAt(part, at < parts.length - 1));
    if (isIn && (await isVideo(each.file))) found.push({ path: parts.join("/"), chosen: each });
  }
  return ofFolder(name, inOrder(found));
}

export function ofFolder(name: string, files: ChosenFile[]): Dropped {
  return { files, emptyFolders: files.length === 0 && name !== "" ? [name] : [] };
}

function inOrder(found: Found[]): ChosenFile[] {
  const order = new Intl.Collator(undefined, { numeric: true });
  return found.sort((a, b) => order.compare(a.path, b.path)).map(({ chosen }) => chosen);
}

/** Systems keep notes of their own beside files, and programs their packages. */
function isLookedAt(name: string, isFolder: boolean): boolean {
  return !name.startsWith(".") && !(isFolder && name === "node_modules");
}

interface Found {
  path: string;
  chosen: ChosenFile;
}

async function walk(folder: FileSystemDirectoryHandle, path: string): Promise<Found[]> {
  const found: Found[] = [];
  for await (const [name, handle] of (folder as IterableFolder).entries()) {
    if (!isLookedAt(name, handle.kind === "directory")) continue;
    const at = `${path}${name}`;
    if (handle.kind === "directory")
      found.push(...(await walk(handle as FileSystemDirectoryHandle, `${at}/`)));
    else if (mayBeInFolder(name)) {
      const file = await (handle as FileSystemFileHandle).getFile().catch(() => undefined);
      if (file !== undefined && (await isVideo(file)))
        found.push({ path: at, chosen: { file, handle: handle as FileSystemFileHandle } });
    }
  }
  return found;
}

const mayBeInFolder = (name: string): boolean => name.includes(".") && mayBeVideo(undefined, name);

/** A file that can't be read fails by its name later. */
async function isVideo(file: File): Promise<boolean> {
  if (file.size === 0 || !mayBeInFolder(file.name)) return false;
  const read = async (size: number) => new Uint8Array(await file.slice(0, size).arrayBuffer());
  return await isVideoByContent(file.name, read).catch(() => true);
}

type IterableFolder = FileSystemDirectoryHandle & {
  entries(): AsyncIterable<[string, FileSystemHandle]>;
};
