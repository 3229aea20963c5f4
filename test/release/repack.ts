/**
 * Makes a zip the same whenever and wherever it is made of the same files: in the order of their names, without times and
 * without entries for folders. Whoever builds the sources can compare the result with what a store gives out.
 */
import { readFile, writeFile } from "node:fs/promises";
import JSZip from "jszip";

/** The first day that a zip can name. */
const DATE = new Date(Date.UTC(1980, 0, 1));

/** Replaces a zip. JSZip compresses by its own code, where the zlib of Node differs from version to version. */
export async function repack(path: string): Promise<void> {
  const made = await JSZip.loadAsync(await readFile(path));
  const zip = new JSZip();
  const files = Object.values(made.files).filter(({ dir }) => !dir);
  for (const file of files.sort((a, b) => (a.name < b.name ? -1 : 1)))
    zip.file(file.name, await file.async("nodebuffer"), { date: DATE, createFolders: false });
  const compression = { compression: "DEFLATE", compressionOptions: { level: 9 } } as const;
  await writeFile(path, await zip.generateAsync({ type: "nodebuffer", ...compression }));
}
