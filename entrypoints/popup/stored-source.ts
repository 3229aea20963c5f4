/** The parts of an upload's source that only the store has: the handle of its file, its address, and that of its page. */
import type { StoredSource } from "../shared/job.ts";
import { openDatabase } from "../shared/list-store.ts";

interface AskableHandle {
  requestPermission(options: { mode: "read" }): Promise<PermissionState>;
}

/** Asks to read a job's file again, which only a click can get. */
export async function allowFile(jobId: string): Promise<boolean> {
  const handle = (await sourceOf(jobId))?.handle as (FileSystemFileHandle & AskableHandle) | undefined;
  return (await handle?.requestPermission({ mode: "read" }).catch(() => "denied")) === "granted";
}

/** Opens the page that a video was found on, or its own address, for what turned out to be a page. */
export async function openPage(jobId: string, which: "page" | "url"): Promise<void> {
  const address = (await sourceOf(jobId))?.[which];
  if (address !== undefined) await chrome.tabs.create({ url: address });
}

async function sourceOf(jobId: string): Promise<StoredSource | undefined> {
  const list = await openDatabase();
  const source = (await list.get("jobs", jobId))?.source;
  list.close();
  return source;
}
