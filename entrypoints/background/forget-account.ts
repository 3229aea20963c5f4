/** Forgets the account: its token, and where it was sent; also the permissions for hosts, where that is wanted. */
import { refreshHeaderRules } from "./header-rules.ts";
import { forgetHosts } from "./upload-authorization.ts";

export async function forgetAccount({ hosts }: { hosts: boolean }): Promise<null> {
  await chrome.storage.local.remove("token");
  await forgetHosts();
  await refreshHeaderRules();
  if (hosts) {
    const { origins = [] } = await chrome.permissions.getAll();
    if (origins.length > 0) await chrome.permissions.remove({ origins });
  }
  return null;
}
