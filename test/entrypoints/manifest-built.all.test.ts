/** The manifests that are made for both browsers, with what the build adds. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { build } from "wxt";
import config from "../../wxt.config.ts";
import { useFolder } from "../support/use-folder.ts";

const folder = useFolder("manifest");

beforeAll(async () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  for (const browser of ["chrome", "firefox"]) await build({ root, outDir: folder.path, browser });
});

test("has an offscreen document for one reason alone", async () => {
  const worker = await readFile(join(folder.path, "chrome-mv3/background.js"), "utf8");
  const [, reasons] = /reasons:\[([^\]]*)\]/.exec(worker) ?? [];
  expect(reasons?.replace(/[`'"]/g, "")).toBe("BLOBS");
});

test.each(["chrome", "firefox"])(
  "has the keys of the configuration in %s, and those of the build alone",
  async (browser) => {
    const configured = (config.manifest as (env: object) => object)({ browser, command: "build" });
    const ofBuild = ["background", "icons", "manifest_version", "options_ui", "version"];
    const built = JSON.parse(await readFile(join(folder.path, `${browser}-mv3/manifest.json`), "utf8"));
    expect(Object.keys(built).sort()).toEqual([...Object.keys(configured), ...ofBuild].sort());
  },
);
