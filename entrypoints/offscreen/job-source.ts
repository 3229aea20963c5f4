/** The bytes of a job: at hand, read again through a file's handle, or at an address. */
import { openUrl, type Source } from "../../core/mod.ts";
import type { FileDetails, StoredJob, StoredSource } from "../shared/job.ts";
import { sourceKind } from "../shared/source-kinds.ts";
import { within } from "../shared/within.ts";

/** A job at work, with its file or Blob where that is at hand: it is neither stored nor sent to a page. */
export interface OpenJob extends StoredJob {
  source: OpenSource;
}

export interface OpenSource extends StoredSource {
  blob?: Blob;
}

export function toStored({ source: { blob: _, ...source }, ...job }: OpenJob): StoredJob {
  return { ...job, source };
}

/** Milliseconds for a drive to show a file. */
const FILE_READ_TIMEOUT = 20_000;

/** Opens the source of a job; "ask" where reading its file needs a click first, nothing where it is out of reach. */
export async function openSource(source: OpenSource): Promise<Blob | Source | "ask" | undefined> {
  if (source.url !== undefined) return openUrl(new URL(source.url), sourceKind(source).urlOptions(source));
  if (source.blob !== undefined || source.handle === undefined) return source.blob;
  return await within(FILE_READ_TIMEOUT, readHandle(source.handle), () => undefined);
}

async function readHandle(handle: FileSystemFileHandle): Promise<File | "ask" | undefined> {
  try {
    if ((await permissionOf(handle)) !== "granted") return "ask";
    // A session's grant ends soon after the last page closes; a file read now stays readable.
    return await handle.getFile();
  } catch {
    return undefined;
  }
}

async function permissionOf(handle: FileSystemFileHandle): Promise<PermissionState> {
  const asking = handle as FileSystemFileHandle & {
    queryPermission?(how: { mode: "read" }): Promise<PermissionState>;
  };
  return (await asking.queryPermission?.({ mode: "read" })) ?? "granted";
}

export function fileDetails({ name, size, type, lastModified }: File): FileDetails {
  return { name, size, type, lastModified };
}

/** Tells whether a file given again is the one that was lost, as far as that shows without reading it: it may be renamed. */
export function isSameFile(a: FileDetails, b: FileDetails): boolean {
  return a.size === b.size && a.lastModified === b.lastModified;
}
