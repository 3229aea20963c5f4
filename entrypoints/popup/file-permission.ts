/** The permission to read a file again, which only a click can get. */
import { openDatabase } from "../shared/list-store.ts";

interface AskableHandle {
  requestPermission(options: { mode: "read" }): Promise<PermissionState>;
}

/** Asks to read a job's file again. */
export async function allowFile(jobId: string): Promise<boolean> {
  const list = await openDatabase();
  const source = (await list.get("jobs", jobId))?.source;
  list.close();
  if (source?.kind !== "file") return false;
  const handle = source.handle as (FileSystemFileHandle & AskableHandle) | undefined;
  return (await handle?.requestPermission({ mode: "read" }).catch(() => "denied")) === "granted";
}
