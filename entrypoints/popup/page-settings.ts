/** The settings that change the page. */
import { signal } from "@preact/signals";
import { isReady, readSettings } from "../shared/settings.ts";

/** True if an account is connected; `undefined` until it was read. */
export const isConnected = signal<boolean | undefined>(undefined);
export const playbackPage = signal("");
export const reviewFirst = signal(false);

export async function showSettings(): Promise<void> {
  const [settings, ready] = await Promise.all([readSettings(), isReady()]);
  playbackPage.value = settings.playbackPage;
  reviewFirst.value = settings.reviewFirst;
  isConnected.value = ready;
}
