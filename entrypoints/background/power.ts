/** Keeps the computer awake while uploads run, where the person turned that on. */
import { IS_FIREFOX } from "../shared/is-firefox.ts";
import type { ListSummary } from "../shared/job.ts";
import { readSettings } from "../shared/settings.ts";

export async function keepAwake({ running }: ListSummary): Promise<void> {
  // Firefox has no such permission, and refuses its name.
  if (IS_FIREFOX || !(await chrome.permissions.contains({ permissions: ["power"] }))) return;
  const { keepAwake: wanted } = await readSettings();
  if (wanted && running > 0) chrome.power.requestKeepAwake("system");
  else chrome.power.releaseKeepAwake();
}
