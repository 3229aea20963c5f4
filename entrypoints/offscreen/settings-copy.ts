/** The settings as this document knows them: it can't read the storage, so the background sends them. */

import type { UploadSettings } from "../shared/known-account.ts";
import { callBackground } from "../shared/messages.ts";
import { UNTOLD_SETTINGS } from "../shared/settings.ts";

export interface SettingsCopy {
  read(): Promise<UploadSettings>;
  replace(settings: UploadSettings): void;
}

/** @param request asks the background for the settings: once, unless it fails */
export function createSettingsCopy(
  request: () => Promise<UploadSettings> = () => callBackground("read-settings", {}),
): SettingsCopy {
  let known: UploadSettings | undefined;
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
