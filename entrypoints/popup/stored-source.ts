/** The part of an upload's source that only the store has: the handle of its file, its address, and that of its page. */
import type { StoredSource } from "../shared/job.ts";
import { openDatabase } from "../shared/list-store.ts";
import { lackingFiles } from "./list.ts";
import { send } from "./offscreen-connection.ts";

export async function sourceOf(jobId: string): Promise<StoredSource | undefined> {
  const list = await openDatabase();
  const source = (await list.get("jobs", jobId))?.source;
  list.close();
  return source;
}

/**
 * Asks to read a job's file again, which only a click can get. The browser may allow all that were allowed before with
 * it: these go on, too.
 */
export async function allowFiles(jobId: string): Promise<boolean> {
  const handle = (await sourceOf(jobId))?.handle as
    | { requestPermission(options: { mode: "read" }): Promise<PermissionState> }
    | undefined;
  if ((await handle?.requestPermission({ mode: "read" }).catch(() => "denied")) !== "granted") return false;
  for (const { id } of lackingFiles.value) send({ type: "permission-given", jobId: id });
  return true;
}
