/** What the manifest asks for, as the configuration says it; manifest-built.all.test.ts looks at what is made of it. */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { MANAGED } from "../../entrypoints/shared/settings.ts";
import config from "../../wxt.config.ts";

function manifestFor(browser: "chrome" | "firefox"): Record<string, unknown> {
  const make = config.manifest as (env: object) => Record<string, unknown>;
  return make({ browser, command: "build", mode: "production", manifestVersion: 3 });
}
const manifest = manifestFor("chrome");
const inFirefox = manifestFor("firefox");

test("docs/store/permissions.md justifies to the store each of those at install and by a click, no others, and names files that use them", async () => {
  const root = new URL("../../", import.meta.url);
  const page = await readFile(new URL("docs/store/permissions.md", root), "utf8");
  const quoted = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  const rowsBelow = (title: string) =>
    (page.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "")
      .split("\n")
      .filter((line) => /^\| `/.test(line));
  const rows = [];
  for (const [title, ...keys] of [
    ["Asked for at install", "permissions"],
    ["Asked for when needed, by a click", "optional_permissions", "optional_host_permissions"],
  ] as const) {
    const named = rowsBelow(title).flatMap((row) => quoted(row.split("|")[1]));
    expect(named.sort(), title).toEqual(keys.flatMap((key) => manifest[key] as string[]).sort());
    rows.push(...rowsBelow(title));
  }
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

test("an organization may set what the extension reads of its policies", async () => {
  const { managed_schema: path } = manifest.storage as { managed_schema: string };
  const { properties } = JSON.parse(await readFile(new URL(`../../public/${path}`, import.meta.url), "utf8"));
  expect(Object.keys(properties)).toEqual(MANAGED);
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
