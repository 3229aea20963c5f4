/** What the settings need Chrome's permission for. */
import { hostPattern, type Settings } from "../shared/settings.ts";

export interface Need {
  ask: chrome.permissions.Permissions;
  /** What doesn't work without it. */
  lack: string;
  /** The button that asks for it. */
  button: string;
}

/** Everything the settings need, whether or not it is allowed. */
export function needsOf(settings: Settings): Need[] {
  const needs: Need[] = [];
  if (settings.address !== "") {
    const { host } = new URL(settings.address);
    needs.push({
      ask: { origins: [hostPattern(settings.address)] },
      lack: `Uploads can't start until the browser lets Upcut reach ${host}.`,
      button: `Allow ${host}`,
    });
  }
  if (settings.notifications || !settings.confirmTerminate) {
    needs.push({
      ask: { permissions: ["notifications"] },
      lack: "The browser doesn't let Upcut show notifications yet.",
      button: "Allow notifications",
    });
  }
  if (settings.keepAwake) {
    needs.push({
      ask: { permissions: ["power"] },
      lack: "The browser doesn't let Upcut keep the computer awake yet.",
      button: "Allow keeping awake",
    });
  }
  return needs;
}

/** Those that Chrome doesn't allow. */
export async function missing(needs: Need[]): Promise<Need[]> {
  const allowed = await Promise.all(needs.map(({ ask }) => chrome.permissions.contains(ask)));
  return needs.filter((_, index) => !allowed[index]);
}

/**
 * Asks for all at once; what is allowed already is not asked again. Chrome does so only within a click, so this must
 * be called before anything is awaited.
 */
export async function request(needs: Need[]): Promise<void> {
  const origins = needs.flatMap(({ ask }) => ask.origins ?? []);
  const permissions = needs.flatMap(({ ask }) => ask.permissions ?? []);
  try {
    await chrome.permissions.request({ origins, permissions });
  } catch (error) {
    // Then it is missing, and the page says so.
    console.warn("Cannot ask for permissions", error);
  }
}
