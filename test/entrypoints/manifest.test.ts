import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { build } from "wxt";
import { scratchFolder } from "../scratch.ts";

/** Given at install. None of them makes Chrome warn. */
const AT_INSTALL: Record<string, string> = {
  storage: "the token, the settings, and what the background must remember beyond its own life",
  offscreen: "uploads run where neither the closed popup nor the stopped worker ends them",
  contextMenus: "ends a stream, and uploads a video, by right-click",
  alarms: "makes the offscreen document anew if it died with uploads unfinished",
  activeTab: "reads the videos of the page that the person clicks Upcut on, and of no other",
  scripting: "finds those videos, by a script that is gone when it has answered",
  declarativeNetRequestWithHostAccess:
    "takes the Origin header off the extension's own calls, which some services refuse; works on allowed hosts alone",
};
/** Asked for by the click that needs them. */
const BY_CLICK: Record<string, string> = {
  notifications: "tells the end of uploads and of streams, where that was turned on",
  power: "keeps the computer awake while uploading, where that was turned on",
  webRequest:
    "tells which host a video is redirected to, so that the right one is asked for; sees allowed hosts alone",
};
/** Asked for one host at a time, by a click. */
const HOSTS: Record<string, string> = {
  "https://*/*": "the service's address, and an upload host that doesn't let pages in",
  "http://*/*": "the same for a service at home or on this machine",
};

let folder: { path: string; remove(): Promise<void> };
let manifest: Record<string, unknown>;

beforeAll(async () => {
  folder = await scratchFolder("manifest");
  const root = fileURLToPath(new URL("../..", import.meta.url));
  await build({ root, outDir: folder.path });
  manifest = JSON.parse(await readFile(join(folder.path, "chrome-mv3/manifest.json"), "utf8"));
});
afterAll(() => folder.remove());

test("asks at install for nothing that has no reason here", () => {
  expect(new Set(manifest.permissions as string[])).toEqual(new Set(Object.keys(AT_INSTALL)));
});

test("asks by a click for the rest", () => {
  expect(new Set(manifest.optional_permissions as string[])).toEqual(new Set(Object.keys(BY_CLICK)));
  expect(new Set(manifest.optional_host_permissions as string[])).toEqual(new Set(Object.keys(HOSTS)));
});

test("reaches no host at install, runs in no page, and lets no page or other extension in", () => {
  for (const key of [
    "host_permissions",
    "content_scripts",
    "web_accessible_resources",
    "externally_connectable",
    "content_security_policy",
  ])
    expect(manifest, key).not.toHaveProperty(key);
});

test("has no other key", () => {
  expect(Object.keys(manifest).sort()).toEqual([
    "action",
    "background",
    "default_locale",
    "description",
    "icons",
    "manifest_version",
    "message_serialization",
    "minimum_chrome_version",
    "name",
    "optional_host_permissions",
    "optional_permissions",
    "options_ui",
    "permissions",
    "version",
  ]);
});
