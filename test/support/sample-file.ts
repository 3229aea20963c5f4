/** A video where a file dialog shows it: most people look among their downloads first. */
import { constants, rmSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

export interface SampleFile {
  path: string;
  folder: string;
  /** Takes it away again, unless a file of this name was there before. At once, so that a process may do it last. */
  remove(): void;
}

const NAME = "upcut-sample.mp4";

/** @param folders that are tried, one after the other */
export async function placeSample(video: string, folders: string[] = usualFolders()): Promise<SampleFile> {
  for (const folder of folders) {
    const path = join(folder, NAME);
    try {
      await copyFile(video, path, constants.COPYFILE_EXCL);
      return { path, folder, remove: () => rmSync(path, { force: true }) };
    } catch (error) {
      if ((error as { code?: unknown }).code === "EEXIST") return { path, folder, remove: () => {} };
      // The folder can't be written to.
    }
  }
  // Nowhere else: it stays where it is.
  return { path: resolve(video), folder: resolve(video, ".."), remove: () => {} };
}

function usualFolders(): string[] {
  const { XDG_DOWNLOAD_DIR } = process.env;
  return [...(XDG_DOWNLOAD_DIR ? [XDG_DOWNLOAD_DIR] : []), join(homedir(), "Downloads"), homedir(), "."].map(
    (folder) => resolve(folder),
  );
}
