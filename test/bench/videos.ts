/** The files that are uploaded, made once and kept until the end. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { writeContent } from "../support/content.ts";
import { scratchFolder } from "../support/scratch.ts";

export const KiB = 1024;
export const MiB: number = 1024 * KiB;
export const GiB: number = 1024 * MiB;

export interface Video {
  path: string;
  size: number;
  /** Empty where it isn't known: then its bytes are counted alone. */
  sha256: string;
}

export interface Videos {
  folder: string;
  /** A video whose every block differs, so that a misplaced byte changes its hash. */
  of(size: number): Promise<Video>;
  /** A video without content on disk, for sizes that would fill it; it has no hash. */
  sparse(size: number): Promise<Video>;
  remove(): Promise<void>;
}

export async function openVideos(): Promise<Videos> {
  const { path: folder, remove } = await scratchFolder("bench");
  const made = new Map<number, Promise<Video>>();
  const make = async (size: number): Promise<Video> => {
    const path = join(folder, `video-${size}.mp4`);
    return { path, size, sha256: await writeContent(path, size) };
  };
  return {
    folder,
    of(size) {
      const video = made.get(size) ?? make(size);
      made.set(size, video);
      return video;
    },
    async sparse(size) {
      const path = join(folder, `sparse-${size}.mp4`);
      const file = await open(path, "w");
      await file.truncate(size);
      await file.close();
      return { path, size, sha256: "" };
    },
    remove,
  };
}

export function sized(bytes: number): string {
  if (bytes >= GiB) return `${Math.round((bytes / GiB) * 10) / 10} GiB`;
  return bytes >= MiB ? `${Math.round(bytes / MiB)} MiB` : `${Math.round(bytes / KiB)} KiB`;
}
