/** Finished uploads are processed one after the other: hash, media description, playlist. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { type AssetEntry, setPhase } from "./assets.ts";
import type { Shelf } from "./shelf.ts";
import type { Switches } from "./switches.ts";

interface ProcessingOptions {
  assets: Shelf<AssetEntry>;
  switches: Switches;
  pathOf(assetId: string): string;
  playlistDirectory(playbackId: string): string;
}

/** Bytes that are hashed at once: few enough that other uploads go on meanwhile. */
const PIECE = 1024 * 1024;

export function createProcessing({ assets, switches, pathOf, playlistDirectory }: ProcessingOptions) {
  const closing = new AbortController();
  let last = Promise.resolve();

  async function process(entry: AssetEntry): Promise<void> {
    const { asset } = entry;
    // Forgotten by a reset in the meantime, or left for the next start.
    const isOver = () => closing.signal.aborted || assets.get(asset.id) !== entry;
    if (isOver() || switches.processing === "none") return;
    const path = pathOf(asset.id);
    if (switches.damages !== "" && asset.name.includes(switches.damages)) await changeByte(path);
    const sha256 = await hashFile(path, closing.signal);
    const described = switches.processing === "full" ? await describe() : undefined;
    await tellTenths();
    if (isOver()) return;
    asset.hash = [{ hash: sha256, algorithm: "sha256" }];
    if (switches.processingFails !== "") setPhase(entry, "failed", switches.processingFails);
    else if (described === "unreadable")
      setPhase(entry, "failed", "The file is not a video that can be read");
    else {
      if (described !== undefined) asset.videoSpec = described.videoSpec;
      entry.playlist = described?.hasPlaylist === true;
      setPhase(entry, "ready");
    }
    assets.put(asset.id, entry);
    await assets.flush();

    async function tellTenths(): Promise<void> {
      for (let tenth = 0; tenth < 10 && switches.processingTime > 0 && !isOver(); tenth++) {
        asset.status = { phase: "processing", updatedAt: Date.now(), progress: tenth / 10 };
        await delay(switches.processingTime / 10);
      }
    }

    async function describe() {
      const { describeVideo } = await import("./media.ts");
      const { writePlaylist } = await import("./playlist.ts");
      const folder = playlistDirectory(asset.playbackId);
      try {
        const videoSpec = await describeVideo(path);
        await mkdir(folder, { recursive: true });
        // Without a playlist a video is still ready: it can be watched from its download address.
        const hasPlaylist = await writePlaylist(path, folder).catch(() => false);
        return { videoSpec, hasPlaylist };
      } catch {
        return "unreadable";
      }
    }
  }

  return {
    add(entry: AssetEntry) {
      last = last.then(() => process(entry)).catch(() => {});
    },
    async close() {
      closing.abort();
      await last;
    },
  };
}

async function changeByte(path: string): Promise<void> {
  const file = await open(path, "r+");
  const last = Buffer.alloc(1);
  const at = (await file.stat()).size - 1;
  await file.read(last, 0, 1, at);
  await file.write(Buffer.from([(last[0] ?? 0) ^ 1]), 0, 1, at);
  await file.close();
}

async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: PIECE }), hash, { signal });
  return hash.digest("hex");
}
