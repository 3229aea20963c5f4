/** Ways a file comes in: chosen by the input, by the tab's picker, dropped, or pasted. */

import { VIDEO_ENDINGS } from "../../core/extension.ts";
import { type ChosenFile, type Dropped, videosIn } from "./chosen-files.ts";
import { t } from "./translate.ts";

/** What file dialogs offer: video types, and endings of videos, since systems know no type for some of them. */
export const ACCEPT = ["video/*", ...VIDEO_ENDINGS.map((ending) => `.${ending}`)];

interface PickingWindow {
  showOpenFilePicker?(options: object): Promise<FileSystemFileHandle[]>;
}

/** True if files can be picked with handles: only in a tab, since the picker closes the popup before it answers. */
export function canPick(inTab: boolean): boolean {
  return inTab && "showOpenFilePicker" in window;
}

/** Lets the person pick files with handles; none when the dialog was left. */
export async function pick(multiple: boolean): Promise<ChosenFile[]> {
  const [type = "", ...endings] = ACCEPT;
  const types = [{ description: t("popup.videos"), accept: { [type]: endings } }];
  try {
    const handles = await (window as PickingWindow).showOpenFilePicker?.({ multiple, types, id: "videos" });
    // At once: the right to read may not last.
    return await Promise.all(
      (handles ?? []).map(async (handle) => ({ file: await handle.getFile(), handle })),
    );
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return [];
    throw error;
  }
}

/** Takes the files out of an input, so that the same ones can be chosen again. */
export function takeFrom(input: HTMLInputElement): ChosenFile[] {
  const files = Array.from(input.files ?? [], (file) => ({ file }));
  input.value = "";
  return files;
}

/** Takes files and folders that are dropped or pasted anywhere on the page. */
export function takeFiles(onTaken: (given: Dropped) => void): void {
  const { classList } = document.documentElement;
  const take = (event: Event, { items }: DataTransfer) => {
    event.preventDefault();
    // The items are gone after the handler: everything is begun within it.
    const files = Array.from(items).filter(({ kind }) => kind === "file");
    Promise.all(files.map(readItem)).then((given) => {
      onTaken({
        files: given.flatMap(({ files }) => files),
        emptyFolders: given.flatMap(({ emptyFolders }) => emptyFolders),
        others: given.flatMap(({ others = [] }) => others),
        empty: given.flatMap(({ empty = [] }) => empty),
      });
    });
  };
  addEventListener("dragover", (event) => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    classList.add("dropping");
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) classList.remove("dropping");
  });
  addEventListener("drop", (event) => {
    classList.remove("dropping");
    if (hasFiles(event.dataTransfer)) take(event, event.dataTransfer);
  });
  addEventListener("paste", (event) => {
    if (hasFiles(event.clipboardData)) take(event, event.clipboardData);
  });
}

/** True if files are dragged or pasted. A file manager gives their names as a text beside them. */
export function hasFiles(given: DataTransfer | null): given is DataTransfer {
  return given?.types.includes("Files") === true;
}

async function readItem(item: DataTransferItem): Promise<Dropped> {
  const file = item.getAsFile();
  const asking = item as { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> };
  const handle = await asking.getAsFileSystemHandle?.().catch(() => null);
  if (handle?.kind === "directory")
    return await videosIn(handle as FileSystemDirectoryHandle).catch(() => ({
      files: [],
      emptyFolders: [handle.name],
    }));
  if (file === null) return { files: [], emptyFolders: [] };
  const isFile = handle?.kind === "file";
  return { files: [isFile ? { file, handle: handle as FileSystemFileHandle } : { file }], emptyFolders: [] };
}
