/** Manifests for the popup by itself, at a site that lets everybody read them. */
import type { Page, Route } from "playwright-core";
import { mediaPlaylist, pieceLines } from "../../hls/hls-server.ts";

export const MANIFEST_ORIGIN = "https://pieces.example";
export const PIECES_ORIGIN = "https://cdn.example";

const PIECES = pieceLines(
  Array.from({ length: 30 }, (_, at) => `${PIECES_ORIGIN}/${at}.ts?signature=a-signature`),
  4,
);
const variant = (name: string, lines: number, rate: number) => [
  `#EXT-X-STREAM-INF:BANDWIDTH=${rate},RESOLUTION=${(lines * 16) / 9}x${lines},CODECS="avc1.64000b,mp4a.40.2"`,
  name,
];
const main = (...lines: string[][]) => ["#EXTM3U", ...lines.flat(), ""].join("\n");
const FAIRPLAY =
  '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://one",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"';

const MANIFESTS: Record<string, string> = {
  "/main.m3u8": main(
    variant("1080.m3u8", 1080, 5_000_000),
    variant("720.m3u8", 720, 2_800_000),
    variant("360.m3u8", 360, 800_000),
  ),
  "/languages.m3u8": main(
    [
      ["en", "English"],
      ["de", "Deutsch"],
      ["en", "Commentary"],
    ].map(
      ([tag, name]) =>
        `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",LANGUAGE="${tag}",NAME="${name}",URI="1080.m3u8"`,
    ),
    ["en", "fr"].map(
      (tag) => `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",LANGUAGE="${tag}",NAME="${tag}",URI="${tag}.m3u8"`,
    ),
    [`${variant("1080.m3u8", 1080, 5_000_000)[0]},AUDIO="a",SUBTITLES="s"`, "1080.m3u8"],
    [`${variant("720.m3u8", 720, 2_800_000)[0]},AUDIO="a",SUBTITLES="s"`, "720.m3u8"],
  ),
  ...Object.fromEntries(["1080", "720", "360"].map((name) => [`/${name}.m3u8`, mediaPlaylist(PIECES)])),
  "/short.m3u8": mediaPlaylist(PIECES.slice(0, 8)),
  "/live.m3u8": main(variant("on-air.m3u8", 720, 2_800_000)),
  "/on-air.m3u8": mediaPlaylist(PIECES, { ended: false }),
  "/protected.m3u8": main(variant("locked.m3u8", 720, 2_800_000)),
  "/locked.m3u8": mediaPlaylist([FAIRPLAY, ...PIECES]),
  "/strange.m3u8": main([variant("strange-1.m3u8", 720, 1)[0]?.replace("avc1", "dvh1") ?? "", "locked.m3u8"]),
};

/** Has a page find them; the query counts for nothing. */
export async function serveManifests(page: Page): Promise<void> {
  await page.route(`${MANIFEST_ORIGIN}/**`, async (route: Route) => {
    const body = MANIFESTS[new URL(route.request().url()).pathname];
    await route.fulfill({
      status: body === undefined ? 403 : 200,
      headers: { "access-control-allow-origin": "*", "content-type": "application/vnd.apple.mpegurl" },
      body: body ?? "Request has expired",
    });
  });
}
