/** Looks at what was chosen or dropped before anything is made of it. */
import { BEGINNING_SIZE, beginsAsText, isVideoByContent, mayBeVideo } from "../../core/extension.ts";
import { formatList } from "./format.ts";
import { joinSentences, plural, t } from "./translate.ts";

/** A file, with the handle that outlives the browser where there is one. */
export interface ChosenFile {
  file: File;
  handle?: FileSystemFileHandle;
  /** Its place in the folder that it came with. */
  path?: string;
}

export interface Checked {
  good: ChosenFile[];
  /** Says in one sentence why the others are refused; empty where there are none. */
  problem: string;
}

export interface Dropped {
  files: ChosenFile[];
  emptyFolders: string[];
  /** Names of files of a folder that are named as videos, and are none. */
  others?: string[];
  /** Names of files of a folder that are empty. */
  empty?: string[];
}

/** Fewer bytes don't even say what kind of a video they begin. */
const LEAST_BYTES = 4;

/** By type, name and size alone: a file dialog ends the popup, so there is no time to read anything. */
export function checkFiles({ files, emptyFolders, ...left }: Dropped): Checked {
  const [others, empty] = [[...(left.others ?? [])], [...(left.empty ?? [])]];
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
  return { good, problem: joinSentences(parts) };
}

function told(
  names: string[],
  one: "list.notVideo" | "list.emptyFile" | "list.emptyFolder",
  many: "list.notVideos" | "list.emptyFiles" | "list.emptyFolders",
): string[] {
  const [name] = names;
  if (name === undefined) return [];
  return [names.length === 1 ? t(one, { name }) : t(many, { names: listOf(names) })];
}

/** Names that are told; more are a number. */
const MOST_NAMED = 3;

/** Such as “a.txt”, “b.txt” and “c.txt”, or “a.txt”, “b.txt”, “c.txt” and 4 more. */
function listOf(names: readonly string[]): string {
  const named = names.slice(0, MOST_NAMED).map((name) => t("list.quoted", { name }));
  const more = names.length - named.length;
  return formatList(more > 0 ? [...named, plural("list.others", more)] : named);
}

/** The videos in a dropped folder and in those below it, by their paths. */
export async function videosIn(folder: FileSystemDirectoryHandle): Promise<Dropped> {
  return ofFolder(folder.name, await walk(folder, ""));
}

/** The same of a chosen folder, whose files name their paths. */
export async function videosAmong(chosen: readonly ChosenFile[]): Promise<Dropped> {
  const found: Found[] = [];
  let name = "";
  for (const each of chosen) {
    const [root = "", ...parts] = each.file.webkitRelativePath.split("/");
    name = root;
    const isIn = parts.every((part, at) => isLookedAt(part, at < parts.length - 1));
    if (isIn && mayBeInFolder(each.file.name)) found.push(await look(parts.join("/"), each));
  }
  return ofFolder(name, found);
}

/** What is named as a video and is none is told, but for endings that programs have too. */
function ofFolder(name: string, found: Found[]): Dropped {
  const order = new Intl.Collator(undefined, { numeric: true });
  found.sort((a, b) => order.compare(a.path, b.path));
  const of = (kind: Found["kind"]) => found.filter((each) => each.kind === kind);
  const files = of("video").map(({ path, chosen }) => ({ ...chosen, path }));
  const told = of("other").filter(({ path }) => !/\.ts$/i.test(path));
  const left = { others: told.map(({ path }) => path), empty: of("empty").map(({ path }) => path) };
  const isEmpty = files.length + left.others.length + left.empty.length === 0 && name !== "";
  return { files, emptyFolders: isEmpty ? [name] : [], ...left };
}

/** Systems keep notes of their own beside files, and programs their packages. */
function isLookedAt(name: string, isFolder: boolean): boolean {
  return !name.startsWith(".") && !(isFolder && name === "node_modules");
}

interface Found {
  path: string;
  kind: "video" | "other" | "empty";
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
      if (file !== undefined) found.push(await look(at, { file, handle: handle as FileSystemFileHandle }));
    }
  }
  return found;
}

const mayBeInFolder = (name: string): boolean => name.includes(".") && mayBeVideo(undefined, name);

/** A file that can't be read fails by its name later. */
async function look(path: string, chosen: ChosenFile): Promise<Found> {
  const { file } = chosen;
  if (file.size === 0) return { path, chosen, kind: "empty" };
  const read = async (size: number) => new Uint8Array(await file.slice(0, size).arrayBuffer());
  const isVideo = await isVideoByContent(file.name, read).catch(() => true);
  const isNote = isVideo && (await read(BEGINNING_SIZE).then(beginsAsText, () => false));
  return { path, chosen, kind: isVideo && !isNote ? "video" : "other" };
}

type IterableFolder = FileSystemDirectoryHandle & {
  entries(): AsyncIterable<[string, FileSystemHandle]>;
};
