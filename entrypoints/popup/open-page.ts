/** Opens the page that a video was found on. */
import { openList } from "../shared/list-store.ts";

/** Its address stays in the store until then: it may say more of a person than the list has to show. */
export async function openPage(jobId: string): Promise<void> {
  const list = await openList();
  const url = (await list.get("jobs", jobId))?.video?.page;
  list.close();
  if (url !== undefined) await chrome.tabs.create({ url });
}
