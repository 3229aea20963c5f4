/** What plays in pieces on the pages: the sample video in every form, by its paths. */
import { byIndex, byTimeline, manifest } from "../dash-manifest.ts";
import { mediaPlaylist, pieceLines, serveSamples } from "../hls-server.ts";
import { twoHours } from "./two-hours.ts";

/** How often the clock of the pieces begins again. */
export const RUNS = 3;

const TS = ["0", "1", "2"].map((name) => `../ts/${name}.ts`);

/** Bytes, or what makes them when they are asked for. */
export type SiteFile = Buffer | (() => Buffer);

export function piecesFiles(): Map<string, SiteFile> {
  const files = new Map<string, Uint8Array | string>();
  serveSamples({ files });
  files.set("/short/index.m3u8", mediaPlaylist(pieceLines(TS.slice(0, 2))));
  files.set("/unnamed", mediaPlaylist(pieceLines(TS.map((path) => path.slice(1)))));
  files.set("/live/main.m3u8", mainPlaylist([{ name: "index", lines: 90 }]));
  files.set("/live/index.m3u8", mediaPlaylist(pieceLines(TS), { ended: false }));
  files.set("/protected/main.m3u8", mainPlaylist([{ name: "index", lines: 90 }]));
  files.set("/protected/index.m3u8", mediaPlaylist([FAIRPLAY, ...pieceLines(TS)]));
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
  return new Map(
    [...files, ...twoHours("/long")].map(([path, content]): [string, SiteFile] => [
      path,
      typeof content === "function" ? () => Buffer.from(content()) : Buffer.from(content as Uint8Array),
    ]),
  );
}

const FAIRPLAY =
  '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://one",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"';

/** Names playlists beside it, with pictures of so many lines. */
function mainPlaylist(qualities: { name: string; lines: number }[]): string {
  const variants = qualities.flatMap(({ name, lines }) => [
    `#EXT-X-STREAM-INF:BANDWIDTH=${lines * 1000},RESOLUTION=${(lines * 16) / 9}x${lines},CODECS="avc1.64000b,mp4a.40.2"`,
    `${name}.m3u8`,
  ]);
  return ["#EXTM3U", ...variants, ""].join("\n");
}
