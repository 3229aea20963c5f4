/** Where a Chromium is, or a Chrome where that is enough. */
import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export interface BrowserNeeds {
  /** To load an unpacked extension from its arguments, which Chrome refuses and Chromium does. @default false */
  extensions?: boolean;
  /**
   * To show pages alone: then Chromium's shell is taken where there is one, which has no windows, tabs or extensions and
   * needs half of the processor time for a page. @default false
   */
  pagesOnly?: boolean;
}

const SHELL = "/usr/bin/chromium-headless-shell";

/** Whether the shell would be taken, but isn't there. */
export const lacksShell = (): boolean => !process.env.CHROMIUM_PATH && !isProgram(SHELL);

/** The program of an installed browser: what CHROMIUM_PATH names, else Playwright's, else a system's. */
export function findChromium({
  extensions = false,
  pagesOnly = false,
}: BrowserNeeds = {}): string | undefined {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (!isProgram(named))
      throw new Error(`Cannot start a browser: CHROMIUM_PATH is ${JSON.stringify(named)}, no program`);
    return named;
  }
  const shells = pagesOnly ? [SHELL] : [];
  const places = [...shells, chromium.executablePath(), ...chromiums(), ...(extensions ? [] : chromes())];
  return places.find(isProgram);
}

// A snap is left out: it doesn't see the temporary folder with the test's profile and files.
function chromiums(): string[] {
  if (process.platform === "darwin") return inApplications("Chromium.app/Contents/MacOS/Chromium");
  if (process.platform === "win32") return inPrograms("Chromium\\Application\\chrome.exe");
  return ["/usr/bin/chromium", "/usr/lib/chromium/chromium", "/usr/lib64/chromium-browser/chromium-browser"];
}

function chromes(): string[] {
  if (process.platform === "darwin") return inApplications("Google Chrome.app/Contents/MacOS/Google Chrome");
  if (process.platform === "win32") return inPrograms("Google\\Chrome\\Application\\chrome.exe");
  return ["/usr/bin/google-chrome", "/usr/bin/google-chrome-stable", "/opt/google/chrome/chrome"];
}

function inApplications(path: string): string[] {
  return ["/Applications", join(homedir(), "Applications")].map((folder) => join(folder, path));
}

function inPrograms(path: string): string[] {
  const { PROGRAMFILES, "PROGRAMFILES(X86)": x86, LOCALAPPDATA } = process.env;
  return [PROGRAMFILES, x86, LOCALAPPDATA].flatMap((folder) => (folder ? [join(folder, path)] : []));
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
