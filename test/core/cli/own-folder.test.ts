import { describe, expect, test } from "vitest";
import { ownFolder, type System, usualJournal } from "../../../core/cli/own-folder.ts";

const system = (
  platform: string,
  home: string | undefined,
  variables = {},
  folders: string[] = [],
): System => ({
  platform,
  home,
  variable: (name) => (variables as Record<string, string>)[name],
  isFolder: (path) => folders.includes(path),
});

describe("the journal lies where the system keeps states", () => {
  const linux = "/home/a/.local/state/upcut/journal";
  test.each([
    ["linux", "/home/a", {}, linux],
    ["freebsd", "/home/a", {}, linux],
    ["linux", "/home/a", { XDG_STATE_HOME: "/state" }, "/state/upcut/journal"],
    ["linux", undefined, { XDG_STATE_HOME: "/state" }, "/state/upcut/journal"],
    ["linux", "/home/a", { XDG_STATE_HOME: "" }, linux],
    // The specification has relative ones ignored.
    ["linux", "/home/a", { XDG_STATE_HOME: "state" }, linux],
    ["linux", undefined, { XDG_STATE_HOME: "state" }, undefined],
    ["linux", "/", {}, "/.local/state/upcut/journal"],
    ["linux", undefined, {}, undefined],
    ["darwin", "/Users/a", {}, "/Users/a/Library/Application Support/upcut/journal"],
    ["darwin", undefined, {}, undefined],
    ["win32", "C:\\Users\\a", {}, "C:\\Users\\a\\AppData\\Local\\upcut\\journal"],
    ["win32", "C:\\Users\\a", { LOCALAPPDATA: "D:\\Local" }, "D:\\Local\\upcut\\journal"],
    ["win32", undefined, { LOCALAPPDATA: "D:\\Local" }, "D:\\Local\\upcut\\journal"],
    ["win32", undefined, { XDG_STATE_HOME: "/state" }, undefined],
  ])("%s, %s, %o: %s", (platform, home, variables, place) => {
    expect(usualJournal(system(platform, home, variables))).toBe(place);
  });

  test.each([
    ["linux", "/home/a", "/home/a/.upcut"],
    ["darwin", "/Users/a", "/Users/a/.upcut"],
    ["win32", "C:\\Users\\a", "C:\\Users\\a\\.upcut"],
  ])("unless an earlier version has made one: %s", (platform, home, former) => {
    const variables = { XDG_STATE_HOME: "/state", LOCALAPPDATA: "D:\\Local" };
    expect(usualJournal(system(platform, home, variables, [former]))).toBe(former);
  });
});

test.each([
  ["linux", "/home/a", {}, "/home/a/.config/upcut"],
  ["linux", "/home/a", { XDG_CONFIG_HOME: "/config" }, "/config/upcut"],
  ["darwin", "/Users/a", {}, "/Users/a/.config/upcut"],
  ["darwin", "/Users/a", { XDG_CONFIG_HOME: "/config" }, "/config/upcut"],
  ["win32", "C:\\Users\\a", {}, "C:\\Users\\a\\AppData\\Roaming\\upcut"],
  ["win32", undefined, { APPDATA: "D:\\Roaming" }, "D:\\Roaming\\upcut"],
])(
  "the stored account lies where the system keeps settings: %s, %s, %o",
  (platform, home, variables, place) => {
    expect(ownFolder("config", system(platform, home, variables))).toBe(place);
  },
);
