/** The settings that change the page. */
import { signal } from "@preact/signals";
import { isHostAllowed } from "../reach/host-permissions.ts";
import { type KnownAccount, knownAccount } from "../shared/known-account.ts";
import { isConnected as hasAccount, readAccount } from "../shared/settings.ts";
import type { PlainKey } from "../shared/translate.ts";

/** True if an account is connected; `undefined` until it was read. */
export const isAccountSet = signal<boolean | undefined>(undefined);
export const account = signal<KnownAccount | undefined>(undefined);
/** The address of the service while the browser doesn't let Upcut reach it; else empty. */
export const unreachedAddress = signal("");
export const playbackPage = signal("");
export const reviewFirst = signal(false);
export const refusedSettings = signal<readonly PlainKey[]>([]);

export async function showSettings(): Promise<void> {
  const read = await readAccount();
  const known = await knownAccount(read);
  const { address } = read.settings;
  const isReached = address === "" || (await isHostAllowed(address));
  unreachedAddress.value = isReached ? "" : address;
  playbackPage.value = read.settings.playbackPage;
  reviewFirst.value = read.settings.reviewFirst;
  refusedSettings.value = read.refused;
  isAccountSet.value = hasAccount(read);
  account.value = known;
}
