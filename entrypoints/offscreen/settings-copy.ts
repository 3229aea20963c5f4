/** The settings as this document knows them: it can't read the storage, so the background sends them. */
import { callBackground } from "../shared/messages.ts";
import { type Settings, UNTOLD_SETTINGS } from "../shared/settings.ts";

export interface SettingsCopy {
  /** The settings as they were last sent. */
  read(): Promise<Settings>;
  /** Takes over what the background sent. */
  replace(settings: Settings): void;
}

/** @param request asks the background for the settings: once, unless it fails */
export function createSettingsCopy(
  request: () => Promise<Settings> = () => callBackground("read-settings", {}),
): SettingsCopy {
  let known: Settings | undefined;
  let requesting: Promise<Settings> | undefined;

  async function requestOnce(): Promise<Settings> {
    try {
      const settings = await request();
      // Settings that were sent meanwhile are newer.
      known ??= settings;
      return known;
    } catch {
      // No upload waits for the background.
      return known ?? UNTOLD_SETTINGS;
    } finally {
      requesting = undefined;
    }
  }

  return {
    async read() {
      if (known !== undefined) return known;
      requesting ??= requestOnce();
      return await requesting;
    },
    replace(settings) {
      known = settings;
    },
  };
}
