/** Opens the page that a video was found on, or what is at its own address. */
import type { StoredSource } from "../shared/job.ts";
import { openDatabase } from "../shared/list-store.ts";

/** Its address stays in the store until then: it may say more of a person than the list has to show. */
export async function openPage(jobId: string): Promise<void> {
  const source = await sourceOf(jobId);
  if (source?.page !== undefined) await chrome.tabs.create({ url: source.page });
}

/** For what turned out to be a page, and may show a video. */
export async function openLink(jobId: string): Promise<void> {
  const source = await sourceOf(jobId);
  if (source?.url !== undefined) await chrome.tabs.create({ url: source.url });
}

async function sourceOf(jobId: string): Promise<StoredSource | undefined> {
  const list = await openDatabase();
  const source = (await list.get("jobs", jobId))?.source;
  list.close();
  return source;
}
