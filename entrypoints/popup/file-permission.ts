/** The permission to read a file again, which only a click can get. */
import { openDatabase } from "../shared/list-store.ts";

interface AskableHandle {
  requestPermission(options: { mode: "read" }): Promise<PermissionState>;
}

/** Asks to read a job's file again. */
export async function allowFile(jobId: string): Promise<boolean> {
  const list = await openDatabase();
  const handle = (await list.get("jobs", jobId))?.source.handle;
  list.close();
  const askable = handle as (FileSystemFileHandle & AskableHandle) | undefined;
  return (await askable?.requestPermission({ mode: "read" }).catch(() => "denied")) === "granted";
}
