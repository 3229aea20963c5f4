/** Gets a Firefox, builds the extension for it and packs it as Firefox takes it, once before all tests. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import JSZip from "jszip";
import { buildExtension } from "../e2e/build.ts";
import { ROOT } from "../packaging/run.ts";
import { findFirefox } from "./install.ts";

const BUILT = join(ROOT, ".output/firefox-mv3");

export const PACKED: string = fileURLToPath(new URL("./.state/upcut.xpi", import.meta.url));

export default async function setUp(): Promise<void> {
  // Here, since a download may take longer than a hook of a test.
  await findFirefox();
  await buildExtension("firefox");
  const zip = new JSZip();
  for (const entry of await readdir(BUILT, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) zip.file(relative(BUILT, path).replaceAll("\\", "/"), await readFile(path));
  }
  await mkdir(dirname(PACKED), { recursive: true });
  await writeFile(PACKED, await zip.generateAsync({ type: "nodebuffer" }));
}
