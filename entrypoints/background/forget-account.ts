/** Forgets the account: its token, and where it was sent; also the permissions for hosts, where that is wanted. */
import { refreshHeaderRules } from "./header-rules.ts";
import { forgetHosts } from "./upload-authorization.ts";

/** Was allowed with the hosts, without a question of its own. */
const WITH_HOSTS = "webRequest";

export async function forgetAccount({ hosts }: { hosts: boolean }): Promise<null> {
  await chrome.storage.local.remove("token");
  await forgetHosts();
  await refreshHeaderRules();
  if (hosts) {
    const { origins = [], permissions = [] } = await chrome.permissions.getAll();
    const given = { origins, permissions: permissions.filter((each) => each === WITH_HOSTS) };
    if (given.origins.length + given.permissions.length > 0) await chrome.permissions.remove(given);
  }
  return null;
}
