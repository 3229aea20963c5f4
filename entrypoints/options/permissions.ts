/** What the settings need the browser's permission for. */
import { isHostAllowed, requestHosts } from "../shared/host-permissions.ts";
import type { Settings } from "../shared/settings.ts";
import { t } from "../shared/translate.ts";
import { hostOf } from "../shared/web-address.ts";

export interface Need {
  /** A host by its address, or a permission by its name. */
  target: { host: string } | { permission: chrome.runtime.ManifestPermission };
  /** What doesn't work without it. */
  lack: string;
  /** The button that asks for it. */
  button: string;
}

/** Everything the settings need, whether or not it is allowed. */
export function needsOf(settings: Settings): Need[] {
  const needs: Need[] = [];
  if (settings.address !== "") {
    const host = hostOf(settings.address);
    needs.push({
      target: { host: settings.address },
      lack: t("options.hostLacks", { host }),
      button: t("options.allowHost", { host }),
    });
  }
  if (settings.notifications || !settings.confirmTerminate) {
    needs.push({
      target: { permission: "notifications" },
      lack: t("options.notificationsLack"),
      button: t("options.allowNotifications"),
    });
  }
  if (settings.keepAwake) {
    needs.push({
      target: { permission: "power" },
      lack: t("options.awakeLacks"),
      button: t("options.allowAwake"),
    });
  }
  return needs;
}

/** Those that the browser doesn't allow. */
export async function missing(needs: Need[]): Promise<Need[]> {
  const allowed = await Promise.all(needs.map(isAllowed));
  return needs.filter((_, index) => !allowed[index]);
}

/**
 * Asks for all at once; what is allowed already is not asked again. The browser does so only within a click, so this
 * must be called before anything is awaited.
 */
export async function request(needs: Need[]): Promise<void> {
  const hosts = needs.flatMap(({ target }) => ("host" in target ? [target.host] : []));
  const permissions = needs.flatMap(({ target }) => ("host" in target ? [] : [target.permission]));
  // What is refused is missing, and the page says so.
  await requestHosts(hosts, permissions);
}

async function isAllowed({ target }: Need): Promise<boolean> {
  if ("host" in target) return await isHostAllowed(target.host);
  return await chrome.permissions.contains({ permissions: [target.permission] });
}
