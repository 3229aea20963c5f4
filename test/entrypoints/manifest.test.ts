/** What the manifest asks for, as the configuration says it; manifest-built.all.test.ts looks at what is made of it. */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { SETTING_NAMES, SETTINGS } from "../../entrypoints/shared/settings.ts";
import config from "../../wxt.config.ts";

/** Given at install. None of them makes Chrome warn. */
const AT_INSTALL: Record<string, string> = {
  storage: "the token, the settings, and what the background must remember beyond its own life",
  offscreen: "uploads run where neither the closed popup nor the stopped worker ends them",
  contextMenus: "ends a stream, and uploads a video, by right-click",
  alarms: "makes the offscreen document again if it died with uploads unfinished",
  activeTab: "reads the videos of the page that the person clicks Upcut on, and of no other",
  scripting: "finds those videos, by a script that is gone when it has answered",
  declarativeNetRequestWithHostAccess:
    "takes the Origin header off the extension's own calls, which some services refuse; works on allowed hosts alone",
  sidePanel: "keeps the list open beside the page, where dialogs and other pages don't close it",
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

function manifestFor(browser: "chrome" | "firefox"): Record<string, unknown> {
  const make = config.manifest as (env: object) => Record<string, unknown>;
  return make({ browser, command: "build", mode: "production", manifestVersion: 3 });
}
const manifest = manifestFor("chrome");
const inFirefox = manifestFor("firefox");

test("asks at install for nothing that has no reason here", () => {
  expect(new Set(manifest.permissions as string[])).toEqual(new Set(Object.keys(AT_INSTALL)));
});

test("asks by a click for the rest", () => {
  expect(new Set(manifest.optional_permissions as string[])).toEqual(new Set(Object.keys(BY_CLICK)));
  expect(new Set(manifest.optional_host_permissions as string[])).toEqual(new Set(Object.keys(HOSTS)));
});

test("docs/store/permissions.md justifies each of them to the store, no others, and names files that use them", async () => {
  const root = new URL("../../", import.meta.url);
  const page = await readFile(new URL("docs/store/permissions.md", root), "utf8");
  const quoted = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  const rows = page.split("\n").filter((line) => /^\| `/.test(line));
  const asked = ["permissions", "optional_permissions", "optional_host_permissions"];
  const named = rows.flatMap((row) => quoted(row.split("|")[1]));
  expect(named.sort()).toEqual(asked.flatMap((key) => manifest[key] as string[]).sort());
  /** What code calls that is named otherwise. */
  const calls: Record<string, string> = {
    activeTab: "tabs",
    declarativeNetRequestWithHostAccess: "declarativeNetRequest",
    "https://*/*": "permissions",
  };
  for (const [, names, , places] of rows.map((row) => row.split("|"))) {
    const [permission = ""] = quoted(names);
    for (const path of quoted(places)) {
      const source = await readFile(new URL(`entrypoints/${path}`, root), "utf8");
      expect(source, `${path}: ${permission}`).toMatch(
        new RegExp(`chrome\\b[^;]*\\b${calls[permission] ?? permission}`),
      );
    }
    expect(quoted(places), permission).not.toEqual([]);
  }
});

test("lets its pages load nothing but their own, and names all they may reach", () => {
  expect(manifest.content_security_policy).toEqual({
    extension_pages: [
      "default-src 'none'",
      "script-src 'self' 'wasm-unsafe-eval'",
      "style-src 'self'",
      "img-src 'self' data:",
      "media-src blob:",
      "connect-src 'self' http: https:",
      "frame-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ].join("; "),
  });
});

test("has no other key, so that it reaches no host at install and lets no page or other extension in", () => {
  const both = [
    "action",
    "commands",
    "content_security_policy",
    "default_locale",
    "description",
    "incognito",
  ];
  both.push("name", "optional_host_permissions", "optional_permissions", "permissions");
  const ofChromium = ["message_serialization", "minimum_chrome_version", "side_panel", "storage"];
  expect(Object.keys(manifest).sort()).toEqual([...both, ...ofChromium].sort());
  const ofFirefox = ["browser_specific_settings", "sidebar_action"];
  expect(Object.keys(inFirefox).sort()).toEqual([...both, ...ofFirefox].sort());
});

test("an organization may set what the table of settings says", async () => {
  const { managed_schema: path } = manifest.storage as { managed_schema: string };
  const { properties } = JSON.parse(await readFile(new URL(`../../public/${path}`, import.meta.url), "utf8"));
  const managed = SETTING_NAMES.filter((name) => "isManaged" in SETTINGS[name]);
  expect(Object.keys(properties)).toEqual(managed);
});

test("stays out of private windows, which would share the token and the list", () => {
  expect(manifest.incognito).toBe("not_allowed");
});

describe("in Firefox", () => {
  /** What Firefox has no permission for. */
  const CHROMIUM_ALONE = ["offscreen", "power", "sidePanel"];

  test.each(["permissions", "optional_permissions"])("has those of Chromium's %s that there are", (key) => {
    const those = (manifest[key] as string[]).filter((name) => !CHROMIUM_ALONE.includes(name));
    expect(inFirefox[key]).toEqual(those);
  });

  test("has an id, and names the data that the person's own service is sent", () => {
    expect(inFirefox.browser_specific_settings).toEqual({
      gecko: {
        id: "upcut@upcut.example",
        strict_min_version: "153.0",
        data_collection_permissions: { required: ["authenticationInfo", "websiteContent"] },
      },
    });
  });

  test("keeps pages of the web out as in Chromium, with frames of uploads that its policy doesn't keep out", () => {
    const policy = manifest.content_security_policy as { extension_pages: string };
    const extension_pages = policy.extension_pages.replace("; frame-ancestors 'self'", "");
    expect(inFirefox.content_security_policy).toEqual({ extension_pages });
  });
});
