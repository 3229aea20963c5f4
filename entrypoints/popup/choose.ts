/** Ways a file comes in: chosen by the input, by the tab's picker, or dropped. */

import { VIDEO_ENDINGS } from "../shared/video-kind.ts";

/** A file, with the handle that outlives the browser where there is one. */
export interface ChosenFile {
  file: File;
  handle?: FileSystemFileHandle;
}

/** What file dialogs offer: video types, and endings of videos, since systems know no type for some of them. */
export const ACCEPT = ["video/*", ...[...VIDEO_ENDINGS, "ts"].map((ending) => `.${ending}`)];

interface PickingWindow {
  showOpenFilePicker?(options: object): Promise<FileSystemFileHandle[]>;
}

/** Whether files can be picked with handles: only in a tab, since the picker closes the popup before it answers. */
export function canPick(inTab: boolean): boolean {
  return inTab && "showOpenFilePicker" in window;
}

/** Lets the person pick files with handles; none when the dialog was left. */
export async function pick(multiple: boolean): Promise<ChosenFile[]> {
  const [type = "", ...endings] = ACCEPT;
  const types = [{ description: "Videos", accept: { [type]: endings } }];
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

/** Takes files that are dropped anywhere on the page. */
export function takeDrops(onDrop: (files: ChosenFile[]) => void): void {
  const { classList } = document.documentElement;
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    classList.add("dropping");
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) classList.remove("dropping");
  });
  addEventListener("drop", (event) => {
    classList.remove("dropping");
    if (!hasFiles(event)) return;
    event.preventDefault();
    // The items are gone after the handler: everything is begun within it.
    const items = Array.from(event.dataTransfer?.items ?? []).filter(({ kind }) => kind === "file");
    Promise.all(items.map(readItem)).then((given) => onDrop(given.flat()));
  });
}

interface HandleItem {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
}

async function readItem(item: DataTransferItem): Promise<ChosenFile[]> {
  const file = item.getAsFile();
  const handle = await (item as HandleItem).getAsFileSystemHandle?.().catch(() => null);
  if (handle?.kind === "directory" || file === null) return [];
  return [handle?.kind === "file" ? { file, handle: handle as FileSystemFileHandle } : { file }];
}
