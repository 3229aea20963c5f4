/** The settings as this document knows them: it can't read the storage, so the background sends them. */
import { callBackground } from "../shared/messages.ts";
import { type Settings, UNTOLD_SETTINGS } from "../shared/settings.ts";

export interface SettingsCopy {
  read(): Promise<Settings>;
  replace(settings: Settings): void;
}

/** @param request asks the background for the settings: once, unless it fails */
export function createSettingsCopy(
  request: () => Promise<Settings> = () => callBackground("read-settings", {}),
): SettingsCopy {
  let known: Settings | undefined;
  let requesting: Promise<void> | undefined;

  return {
    async read() {
      if (known !== undefined) return known;
      requesting ??= request()
        // Settings that were sent meanwhile are newer.
        .then((settings) => {
          known ??= settings;
        })
        // No upload waits for the background.
        .catch(() => {})
        .finally(() => {
          requesting = undefined;
        });
      await requesting;
      return known ?? UNTOLD_SETTINGS;
    },
    replace(settings) {
      known = settings;
    },
  };
}
