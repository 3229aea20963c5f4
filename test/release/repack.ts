/**
 * Makes a zip the same whenever and wherever it is made of the same files: in the order of their names, without times and
 * without entries for folders. Whoever builds the sources can compare the result with what a store gives out.
 *
 * Compressed in JavaScript, since the zlib of Node differs from version to version.
 */
import { readFile, writeFile } from "node:fs/promises";
import JSZip from "jszip";

/** The first that a zip can name. */
const DATE = new Date(Date.UTC(1980, 0, 1));

/** Writes a zip anew, in its place. */
export async function repack(path: string): Promise<void> {
  const made = await JSZip.loadAsync(await readFile(path));
  const again = new JSZip();
  const files = Object.values(made.files).filter(({ dir }) => !dir);
  for (const { name } of files.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const content = made.file(name)?.async("nodebuffer");
    if (content !== undefined) again.file(name, await content, { date: DATE, createFolders: false });
  }
  const options = { compression: "DEFLATE", compressionOptions: { level: 9 } } as const;
  await writeFile(path, await again.generateAsync({ type: "nodebuffer", platform: "DOS", ...options }));
}
