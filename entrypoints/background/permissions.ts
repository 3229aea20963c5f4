/** Which hosts the person has allowed. */
import { hostPattern } from "../shared/settings.ts";

/** @param address any address of the host, a secret one too: only its origin counts */
export async function isPermitted(address: string): Promise<boolean> {
  return await chrome.permissions.contains({ origins: [hostPattern(new URL(address).origin)] });
}
