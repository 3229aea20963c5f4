import { cp, mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import JSZip from "jszip";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { sha256 } from "../support/content.ts";
import { useFolder } from "../support/use-folder.ts";
import { ROOT, succeed } from "./run.ts";

const scratch = useFolder("zip");

/** Makes the zip of a copy of the sources, in a folder and a time zone of its own. */
async function zipOf(name: string, timeZone: string): Promise<{ file: string; bytes: Buffer }> {
  const copy = join(scratch.path, name);
  await mkdir(copy);
  const parts = ["core", "entrypoints", "public", "package.json", "tsconfig.json", "wxt.config.ts"];
  for (const part of [...parts, "test/release"])
    await cp(join(ROOT, part), join(copy, part), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"), "junction");
  await succeed("npm", ["run", "--silent", "zip"], copy, {
    TZ: timeZone,
    // The tests run in their own mode, which vite would build for.
    NODE_ENV: "production",
  });
  const [file = ""] = (await readdir(join(copy, ".output"))).filter((each) => each.endsWith(".zip"));
  return { file, bytes: await readFile(join(copy, ".output", file)) };
}

test("two builds of the extension give the same zip, byte for byte", { timeout: 600_000 }, async () => {
  const first = await zipOf("first", "Pacific/Kiritimati");
  const second = await zipOf("second", "America/Los_Angeles");
  console.log(`zip: ${first.bytes.length} bytes, sha256 ${sha256(first.bytes)}`);
  expect(first.file).toBe(`upcut-${manifest.version}-chrome.zip`);
  expect(sha256(second.bytes)).toBe(sha256(first.bytes));
  const zip = await JSZip.loadAsync(first.bytes, { checkCRC32: true });
  const names = Object.keys(zip.files);
  // A package that is bundled by mistake weighs more than what is left to grow. The texts of a language take 10 to 12 kB,
  // of which the names of messages are 2: a shorter form would cost more code than it is worth.
  const languages = names.filter((name) => name.startsWith("_locales/")).length;
  expect(first.bytes.length).toBeLessThan(320_000 + languages * 11_000);
  expect(names).toContain("manifest.json");
  for (const name of names) {
    const built = await readFile(join(scratch.path, "first/.output/chrome-mv3", name));
    expect((await zip.file(name)?.async("nodebuffer"))?.equals(built)).toBe(true);
  }
});
