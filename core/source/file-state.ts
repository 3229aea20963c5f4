/**
 * The state of a file that is opened again for each piece of a Blob, as `Bun.file()` does: whatever the file holds by then
 * is read, where browsers refuse to.
 */

import { UploadError } from "../errors.ts";
import { isObject } from "../is-object.ts";

/** The facts that change with the content of a file, or with the file that has its name. */
export interface FileState {
  size: number;
  /** With fractions, where the file system has them. */
  mtimeMs: number;
  ino: unknown;
}

/** The state of the file behind a Blob; `undefined` for a Blob that has none, or whose runtime watches it itself. */
export async function fileStateOf(blob: Blob): Promise<FileState | undefined> {
  if (!("stat" in blob) || typeof blob.stat !== "function") return undefined;
  let found: unknown;
  try {
    found = await blob.stat();
  } catch {
    // One that never was there is an empty Blob.
    if (blob.size === 0) return undefined;
    throw fileChanged("it was changed, moved or deleted");
  }
  // A pipe stores no content.
  if (!isObject(found) || typeof found.isFile !== "function" || !found.isFile()) return undefined;
  const { size, mtimeMs, ino } = found;
  return typeof size === "number" && typeof mtimeMs === "number" ? { size, mtimeMs, ino } : undefined;
}

/** True if two states are those of the same content. */
export function isSameState(one: FileState, other: FileState | undefined): boolean {
  return one.size === other?.size && one.mtimeMs === other.mtimeMs && one.ino === other.ino;
}

/** The error for a file that is no longer what it was. */
export function fileChanged(state: string): UploadError {
  return new UploadError("source-changed", `Cannot read the file: ${state}. Choose it again`);
}
