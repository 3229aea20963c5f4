/** What can be watched: originals, playlists and the sample videos. */
import { readdir } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AssetEntry } from "./assets.ts";
import { answer, type Exchange } from "./exchange.ts";
import { answerFile } from "./ranges.ts";
import type { Shelf } from "./shelf.ts";

export interface DeliveryOptions {
  assets: Shelf<AssetEntry>;
  pathOf(assetId: string): string;
  playlistDirectory(playbackId: string): string;
}

const samples = fileURLToPath(new URL("./samples", import.meta.url));

const types: Record<string, string> = {
  ".mp4": "video/mp4",
  ".mov": "video/quicktime",
  ".webm": "video/webm",
  ".m3u8": "application/vnd.apple.mpegurl",
};

const formatTypes: Record<string, string> = {
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
  matroska: "video/x-matroska",
};

export async function listSamples(): Promise<string[]> {
  const names = await readdir(samples).catch(() => []);
  return names.filter((name) => extname(name) in types).sort();
}

/** Answers if the path is one of delivery's; false otherwise. */
export function createDelivery(options: DeliveryOptions): (exchange: Exchange) => Promise<boolean> {
  return async (exchange) => {
    const { incoming, outgoing, path } = exchange;
    const [, kind, id = "", file = ""] = path.split("/");
    if (!["asset", "hls", "samples"].includes(kind ?? "")) return false;
    if (incoming.method === "OPTIONS") {
      const headers = {
        "access-control-allow-origin": "*",
        "access-control-allow-headers": "Range, If-Range",
      };
      answer(outgoing, 204, headers);
      return true;
    }
    if (incoming.method !== "GET" && incoming.method !== "HEAD") return false;
    if (kind === "samples") {
      const names = await listSamples();
      if (id === "" || !names.includes(id)) return false;
      await answerFile(exchange, join(samples, id), types[extname(id)] ?? "");
      return true;
    }
    const entry = options.assets.all().find(({ asset }) => asset.playbackId === id);
    if (entry?.asset.size === undefined) return false;
    if (kind === "asset" && file === "video") {
      const type = formatTypes[entry.asset.videoSpec?.format ?? ""] ?? "application/octet-stream";
      await answerFile(exchange, options.pathOf(entry.asset.id), type);
      return true;
    }
    if (kind === "hls" && entry.playlist && ["index.m3u8", "segments.mp4"].includes(file)) {
      await answerFile(exchange, join(options.playlistDirectory(id), file), types[extname(file)] ?? "");
      return true;
    }
    return false;
  };
}
