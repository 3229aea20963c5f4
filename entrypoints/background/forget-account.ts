/** Forgets the account: its token, and where it was sent; also the permissions for hosts, where that is wanted. */
import { forgetHosts } from "../shared/host-permissions.ts";
import { refreshHeaderRules } from "./header-rules.ts";
import { forgetAuthorizedHosts } from "./upload-authorization.ts";

export async function forgetAccount({ hosts }: { hosts: boolean }): Promise<null> {
  await chrome.storage.local.remove("token");
  await forgetAuthorizedHosts();
  await refreshHeaderRules();
  if (hosts) await forgetHosts();
  return null;
}
