/** Builds the extension for Firefox and packs it as Firefox takes it, once before all tests. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import JSZip from "jszip";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BUILT = join(ROOT, ".output/firefox-mv3");

/** The packed extension. */
export const PACKED: string = fileURLToPath(new URL("./.state/upcut.xpi", import.meta.url));

export default async function buildExtension(): Promise<void> {
  const child = spawn(process.execPath, ["node_modules/wxt/bin/wxt.mjs", "build", "-b", "firefox"], {
    cwd: ROOT,
    // The tests run in a mode of their own, in which packages are built for developing.
    env: { ...process.env, NODE_ENV: "production" },
    stdio: "ignore",
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0)
    throw new Error(
      `Cannot build the extension: wxt ended with ${code}. Run npm run build -- -b firefox to see why`,
    );
  const zip = new JSZip();
  for (const entry of await readdir(BUILT, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) zip.file(relative(BUILT, path).replaceAll("\\", "/"), await readFile(path));
  }
  await mkdir(dirname(PACKED), { recursive: true });
  await writeFile(PACKED, await zip.generateAsync({ type: "nodebuffer" }));
}
