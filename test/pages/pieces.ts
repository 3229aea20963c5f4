/** What plays in pieces on the pages: the sample video in every form, by its paths. */
import { byIndex, byTimeline, manifest } from "../dash-manifest.ts";
import { mediaPlaylist, pieceLines, serveSamples } from "../hls-server.ts";

/** How often the clock of the pieces begins again. */
export const RUNS = 3;

const TS = ["0", "1", "2"].map((name) => `../ts/${name}.ts`);

export function piecesFiles(): Map<string, Buffer> {
  const files = new Map<string, Uint8Array | string>();
  serveSamples({ files });
  files.set("/short/index.m3u8", mediaPlaylist(pieceLines(TS.slice(0, 2))));
  files.set("/live/main.m3u8", mainPlaylist([{ name: "index", lines: 90 }]));
  files.set("/live/index.m3u8", mediaPlaylist(pieceLines(TS), { ended: false }));
  const ten = Array.from({ length: 10 }, (_, at) => ({ name: String(at + 1), lines: 90 * (at + 1) }));
  files.set("/ten/main.m3u8", mainPlaylist(ten));
  for (const { name } of ten) files.set(`/ten/${name}.m3u8`, mediaPlaylist(pieceLines(TS)));
  const run = ["#EXT-X-DISCONTINUITY", ...pieceLines(TS)];
  files.set(
    "/runs/index.m3u8",
    mediaPlaylist(
      Array.from({ length: RUNS }, () => run)
        .flat()
        .slice(1),
    ),
  );
  files.set("/template/manifest.mpd", manifest(byTimeline));
  files.set("/on-demand/manifest.mpd", manifest(byIndex({ files })));
  return new Map([...files].map(([path, content]) => [path, Buffer.from(content as Uint8Array)]));
}

/** Names playlists beside it, with pictures of so many lines. */
function mainPlaylist(qualities: { name: string; lines: number }[]): string {
  const variants = qualities.flatMap(({ name, lines }) => [
    `#EXT-X-STREAM-INF:BANDWIDTH=${lines * 1000},RESOLUTION=${(lines * 16) / 9}x${lines},CODECS="avc1.64000b,mp4a.40.2"`,
    `${name}.m3u8`,
  ]);
  return ["#EXTM3U", ...variants, ""].join("\n");
}
