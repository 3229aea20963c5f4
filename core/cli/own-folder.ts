/** The folders of this program, where the habits of the system put them. */
import { statSync } from "node:fs";
import { platform } from "node:os";
import { posix, win32 } from "node:path";
import { homeFolder, variable } from "../disk/system.ts";

/** The facts of a machine and its user by which the folders are found. */
export interface System {
  platform: string;
  home: string | undefined;
  variable(name: string): string | undefined;
  isFolder(path: string): boolean;
}

/** The variable that names the folder of all programs, and where that is in the person's own folder without it. */
const PLACES = {
  state: {
    win32: ["LOCALAPPDATA", "AppData", "Local"],
    darwin: [undefined, "Library", "Application Support"],
    other: ["XDG_STATE_HOME", ".local", "state"],
  },
  config: {
    win32: ["APPDATA", "AppData", "Roaming"],
    darwin: ["XDG_CONFIG_HOME", ".config"],
    other: ["XDG_CONFIG_HOME", ".config"],
  },
} as const;

/** The variable that names the folder of the stored account. */
export function configVariable(): string {
  return PLACES.config[platform() === "win32" ? "win32" : "other"][0];
}

/** @returns `undefined` where neither the variable nor the person's own folder is known */
export function ownFolder(kind: keyof typeof PLACES, system: System = thisSystem()): string | undefined {
  const { join, isAbsolute } = system.platform === "win32" ? win32 : posix;
  const { [system.platform as "win32"]: own, other } = PLACES[kind];
  const [name, ...inHome] = own ?? other;
  const given = name && system.variable(name);
  // A relative one is to be ignored: "All paths must be absolute" (XDG Base Directory Specification).
  const folder = given && isAbsolute(given) ? given : system.home && join(system.home, ...inHome);
  return folder && join(folder, "upcut");
}

/** The folder of the journal; one in the place of earlier versions stays there. */
export function usualJournal(system: System = thisSystem()): string | undefined {
  const { join } = system.platform === "win32" ? win32 : posix;
  const former = system.home && join(system.home, ".upcut");
  if (former && system.isFolder(former)) return former;
  const folder = ownFolder("state", system);
  return folder && join(folder, "journal");
}

function thisSystem(): System {
  const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return {
    platform: platform(),
    home: homeFolder(),
    variable,
    isFolder(path) {
      try {
        return isFolder(path);
      } catch {
        return false;
      }
    },
  };
}
