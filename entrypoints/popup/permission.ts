/** Permissions that only a click can get. */
import { openList } from "../shared/list-store.ts";
import { hostPattern } from "../shared/settings.ts";

interface AskableHandle {
  requestPermission(options: { mode: "read" }): Promise<PermissionState>;
}

/** Asks to read a job's file again. */
export async function allowFile(jobId: string): Promise<boolean> {
  const list = await openList();
  const source = (await list.get("jobs", jobId))?.source;
  list.close();
  if (source?.kind !== "file") return false;
  const handle = source.handle as (FileSystemFileHandle & AskableHandle) | undefined;
  return (await handle?.requestPermission({ mode: "read" }).catch(() => "denied")) === "granted";
}

/** Asks for a host. Must be called within the click. */
export async function allowHost(origin: string): Promise<boolean> {
  return await chrome.permissions.request({ origins: [hostPattern(origin)] }).catch(() => false);
}
