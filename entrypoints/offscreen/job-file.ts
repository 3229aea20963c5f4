/** A job's file: read again through its handle, compared, and stood in for where only its identity is needed. */
import type { JobFile, StoredJob } from "../shared/job.ts";

/** Milliseconds for a drive to show a file. */
const PATIENCE = 20_000;

/** The file behind a handle; "ask" where reading it needs a click first, nothing where it is out of reach. */
export async function readHandle(job: StoredJob | undefined): Promise<File | "ask" | undefined> {
  if (job?.handle === undefined) return undefined;
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE));
  return await Promise.race([read(job.handle), late]);
}

async function read(handle: FileSystemFileHandle): Promise<File | "ask" | undefined> {
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

/** What a page may know of a file. */
export function factsOf({ name, size, type, lastModified }: File): JobFile {
  return { name, size, type, lastModified };
}

/** Whether a file given again is the one that was lost, as far as that shows without reading it. */
export function isSame(a: JobFile, b: JobFile): boolean {
  return a.size === b.size && a.name === b.name && a.lastModified === b.lastModified;
}
