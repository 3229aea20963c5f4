/** The permissions that the settings need. */
import { isAllowed, requestHosts } from "../reach/host-permissions.ts";
import {
  type NeededPermission,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type Settings,
} from "../shared/settings.ts";
import { type PlainKey, t } from "../shared/translate.ts";
import { hostOf } from "../shared/web-address.ts";

export interface Need {
  /** Addresses whose hosts have to be allowed. */
  hosts: string[];
  permissions: NeededPermission[];
  /** A sentence about what doesn't work without it. */
  lack: string;
  button: string;
}

const TEXTS: Record<NeededPermission, { lack: PlainKey; button: PlainKey }> = {
  notifications: { lack: "options.notificationsLack", button: "options.allowNotifications" },
  power: { lack: "options.awakeLacks", button: "options.allowAwake" },
};

/** Everything the settings need, whether or not it is allowed. */
export function needsOf(settings: Settings): Need[] {
  const host = hostOf(settings.address);
  const ofHost = {
    hosts: [settings.address],
    permissions: [],
    lack: t("options.hostLacks", { host }),
    button: t("options.allowHost", { host }),
  };
  const permissions = SETTING_NAMES.flatMap((name) => {
    const { needs } = SETTINGS[name] as Setting<unknown>;
    return needs !== undefined && settings[name] === needs.value ? [needs.permission] : [];
  });
  const others = [...new Set(permissions)].map((permission) => ({
    hosts: [],
    permissions: [permission],
    lack: t(TEXTS[permission].lack),
    button: t(TEXTS[permission].button),
  }));
  return host === "" ? others : [ofHost, ...others];
}

export async function missing(needs: Need[]): Promise<Need[]> {
  const allowed = await Promise.all(needs.map(({ hosts, permissions }) => isAllowed(hosts, permissions)));
  return needs.filter((_, index) => !allowed[index]);
}

/**
 * Asks for all at once; what is allowed already is not asked again. The browser does so only within a click, so this
 * must be called before anything is awaited.
 */
export async function request(needs: Need[]): Promise<void> {
  const hosts = needs.flatMap((need) => need.hosts);
  // The page shows a refused one as missing.
  await requestHosts(
    hosts,
    needs.flatMap(({ permissions }) => permissions),
  );
}
