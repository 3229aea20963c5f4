/** The settings that change the page. */
import { signal } from "@preact/signals";
import { isConnected as hasAccount, readAccount } from "../shared/settings.ts";
import type { PlainKey } from "../shared/translate.ts";

/** True if an account is connected; `undefined` until it was read. */
export const isAccountSet = signal<boolean | undefined>(undefined);
export const playbackPage = signal("");
export const reviewFirst = signal(false);
export const refusedSettings = signal<readonly PlainKey[]>([]);

export async function showSettings(): Promise<void> {
  const account = await readAccount();
  playbackPage.value = account.settings.playbackPage;
  reviewFirst.value = account.settings.reviewFirst;
  refusedSettings.value = account.refused;
  isAccountSet.value = hasAccount(account);
}
