/** The worker's side of processing: hash, media description, playlist. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { describeVideo } from "./media.ts";
import { writePlaylist } from "./playlist.ts";
import type { Job, JobResult } from "./processing.ts";

process.on("message", async (job: Job) => {
  process.send?.(await work(job));
});

async function work({ path, playlistDirectory }: Job): Promise<JobResult> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(path, { highWaterMark: 4 * 1024 * 1024 }), hash);
  } catch {
    // The service was told to forget everything, this file too.
    return { sha256: "", playlist: false, error: "The file is gone" };
  }
  const result: JobResult = { sha256: hash.digest("hex"), playlist: false };
  if (playlistDirectory === null) return result;
  try {
    result.videoSpec = await describeVideo(path);
  } catch {
    return { ...result, error: "The file is not a video that can be read" };
  }
  // Without a playlist a video is still ready: it can be watched from its download address.
  result.playlist = await writePlaylist(path, playlistDirectory).catch(() => false);
  return result;
}
