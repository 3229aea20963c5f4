/** What plays in pieces on the pages: the sample video in several forms, by its paths. */
import { byIndex, manifest } from "../support/hls/dash-manifest.ts";
import { mediaPlaylist, pieceLines, serveSamples } from "../support/hls/hls-server.ts";

export function piecesFiles(): Map<string, Buffer> {
  const files = new Map<string, Uint8Array | string>();
  serveSamples({ files });
  const qualities = Array.from({ length: 10 }, (_, at) => 90 * (at + 1));
  const variants = qualities.flatMap((lines) => [
    `#EXT-X-STREAM-INF:BANDWIDTH=${lines * 1000},RESOLUTION=${(lines * 16) / 9}x${lines},CODECS="avc1.64000b,mp4a.40.2"`,
    `${lines}.m3u8`,
  ]);
  files.set("/ten/main.m3u8", ["#EXTM3U", ...variants, ""].join("\n"));
  const playlist = mediaPlaylist(pieceLines([0, 1, 2].map((number) => `../ts/${number}.ts`)));
  for (const lines of qualities) files.set(`/ten/${lines}.m3u8`, playlist);
  files.set("/on-demand/manifest.mpd", manifest(byIndex({ files })));
  return new Map([...files].map(([path, content]) => [path, Buffer.from(content as Uint8Array)]));
}
