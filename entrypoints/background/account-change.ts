/** What of the account a change of the storage replaces: uploads that failed for it may work now. Pure. */
import type { AccountFault } from "../shared/account-fault.ts";

type Changes = Record<string, chrome.storage.StorageChange>;

/** Another service may take the token that the former one refused. */
export function faultsFixedBy({ token, settings }: Changes): AccountFault[] {
  if (settings !== undefined && accountIn(settings.oldValue) !== accountIn(settings.newValue))
    return ["token", "address"];
  return token?.newValue === undefined ? [] : ["token"];
}

function accountIn(settings: unknown): string {
  const { address, paths } = (settings ?? {}) as { address?: unknown; paths?: unknown };
  return JSON.stringify([address, paths]);
}
