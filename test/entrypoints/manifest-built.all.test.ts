/** The manifests that are made for both browsers, with what the build adds. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { build } from "wxt";
import { useFolder } from "../use-folder.ts";

const folder = useFolder("manifest");
let manifest: Record<string, unknown>;
let inFirefox: Record<string, unknown>;

beforeAll(async () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const built = async (browser: string) => {
    await build({ root, outDir: folder.path, browser });
    return JSON.parse(await readFile(join(folder.path, `${browser}-mv3/manifest.json`), "utf8"));
  };
  manifest = await built("chrome");
  inFirefox = await built("firefox");
});

test("has an offscreen document for one reason alone", async () => {
  const worker = await readFile(join(folder.path, "chrome-mv3/background.js"), "utf8");
  const [, reasons] = /reasons:\[([^\]]*)\]/.exec(worker) ?? [];
  expect(reasons?.replace(/[`'"]/g, "")).toBe("BLOBS");
});

test("has no other key", () => {
  expect(Object.keys(manifest).sort()).toEqual([
    "action",
    "background",
    "commands",
    "content_security_policy",
    "default_locale",
    "description",
    "icons",
    "incognito",
    "manifest_version",
    "message_serialization",
    "minimum_chrome_version",
    "name",
    "optional_host_permissions",
    "optional_permissions",
    "options_ui",
    "permissions",
    "side_panel",
    "storage",
    "version",
  ]);
});

test("has no other keys in Firefox but its own", () => {
  const chromiumAlone = ["message_serialization", "minimum_chrome_version", "side_panel", "storage"];
  const keys = Object.keys(manifest).filter((key) => !chromiumAlone.includes(key));
  expect(Object.keys(inFirefox).sort()).toEqual(
    [...keys, "browser_specific_settings", "sidebar_action"].sort(),
  );
});
