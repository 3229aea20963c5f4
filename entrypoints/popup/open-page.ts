/** Opens the page that a video was found on. */
import { openDatabase } from "../shared/list-store.ts";

/** Its address stays in the store until then: it may say more of a person than the list has to show. */
export async function openPage(jobId: string): Promise<void> {
  const list = await openDatabase();
  const source = (await list.get("jobs", jobId))?.source;
  list.close();
  if (source === undefined || source.kind === "file" || source.page === undefined) return;
  await chrome.tabs.create({ url: source.page });
}
