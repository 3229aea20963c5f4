/** Uploads over connections that break in the middle: Firefox sends some requests again by itself, over HTTP/2 too. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { spawnService } from "../service/spawned.ts";
import { useStarted } from "../service/use-service.ts";
import { MiB, writeContent } from "../support/content.ts";
import { type Broken, startSecureFront } from "../support/hosts/secure-front.ts";
import { useFolder } from "../support/use-folder.ts";
import { useOpened } from "../support/use-opened.ts";
import { startExtension } from "./extension.ts";

const COUNT = 20;
/** Two whole parts, and a last request of its own. */
const SIZE = 17 * MiB;
const BREAKS: Broken["does"][] = ["reset", "break", "goaway", "reset"];

/** Certificates of test servers count as right, and the hosts as allowed by the person. */
const PREPARE = `
  const overrides = Cc["@mozilla.org/security/certoverride;1"].getService(Ci.nsICertOverrideService);
  overrides.setDisableAllSecurityChecksAndLetAttackersInterceptMyData(true);
  const { ExtensionPermissions } = ChromeUtils.importESModule("resource://gre/modules/ExtensionPermissions.sys.mjs");
  const { id, extension } = WebExtensionPolicy.getByID("upcut@upcut.example");
  await ExtensionPermissions.add(id, { permissions: [], origins: ["https://127.0.0.1/*", "http://127.0.0.1/*"] }, extension);`;

const AT_A_TIME = `
  const field = document.getElementById("uploadsAtATime");
  field.value = "10";
  field.dispatchEvent(new Event("input", { bubbles: true }));`;

describe.each([
  ["tus-s3-1", "h2"],
  ["tus-s3-2", "h2"],
  ["tus-s3-1", "http/1.1"],
] as const)("with the store %s over %s", (store, protocol) => {
  const [profile, files] = [useFolder("profile"), useFolder("files")];
  const front = useOpened(() => startSecureFront(() => service.uploadUrl, protocol));
  const service = useStarted(() =>
    spawnService({ storeLatency: [5, 45] }, { store, advertise: front.origin }),
  );
  const extension = useOpened(async () => {
    const started = await startExtension(profile.path);
    return { ...started, close: started.kill };
  });

  const isThere = async (selector: string) => {
    const script = "return document.querySelector(given[0]) !== null";
    await expect.poll(() => extension.inPage<boolean>(script, selector)).toBe(true);
  };

  test("uploads at once, each broken once in the middle, go a part at a time and are stored right", async () => {
    await extension.inBrowser(PREPARE);
    await extension.use("options.html");
    await isThere("#address");
    await extension.type("#address", service.baseUrl);
    await extension.type("#token", service.token);
    await extension.click(".connect [type=submit]");
    await expect.poll(() => extension.text(".account")).toContain("Connected");
    await extension.open("options.html");
    await isThere("#change");
    await extension.click("[data-section=uploads] summary");
    await extension.inPage(AT_A_TIME);
    await extension.click("#options [type=submit]");

    const broken = new Set<string>();
    front.fault = (request) => {
      if (request.method !== "PATCH" || broken.has(request.path)) return undefined;
      const does = (protocol === "h2" && BREAKS[broken.size % BREAKS.length]) || "reset";
      broken.add(request.path);
      return { does, after: (1 + ((broken.size * 5) % 7)) * MiB };
    };
    const hashes: string[] = [];
    const paths = Array.from({ length: COUNT }, (_, index) => join(files.path, `video-${index}.mp4`));
    for (const [seed, path] of paths.entries()) hashes.push(await writeContent(path, SIZE, seed));
    await extension.open("popup.html?tab=");
    await isThere("#choose-videos:enabled");
    await extension.type("#files", paths.join("\n"));
    await expect
      .poll(async () => (await service.assets()).map(({ sha256 }) => sha256).sort())
      .toEqual([...hashes].sort());
    expect(broken.size).toBe(COUNT);
    const lengths = front.requests.map(({ headers }) => Number(headers["content-length"] ?? 0));
    expect(Math.max(...lengths)).toBe(8 * MiB);
  });
});
