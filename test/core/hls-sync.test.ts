/** Sound of its own and pictures keep the distance that they have in their pieces. */
import { describe, expect, test } from "vitest";
import { openHls } from "../../core/hls/mod.ts";
import { byTimeline, type Kind, mpd, period } from "../dash-manifest.ts";
import { bytesOf, readTracks } from "../hls-original.ts";
import { mainPlaylistWithSound, mediaPlaylist, pieceLines, sample } from "../hls-server.ts";
import { useHls } from "../use-hls.ts";

const hls = useHls();
const INIT = '#EXT-X-MAP:URI="init.mp4"';
const PIECES = pieceLines(["0.m4s", "1.m4s", "2.m4s"]);

/** Serves a kind of pieces in a folder, all of them so many seconds later. */
function putLate(folder: string, kind: "video" | "audio", seconds: number): void {
  const init = sample(`${kind}-init.mp4`);
  const view = new DataView(init.buffer);
  const header = Buffer.from(init).indexOf("mdhd") + 4;
  const ticks = Math.round(seconds * view.getUint32(header + (init[header] === 1 ? 20 : 12)));
  hls.files.set(`/${folder}/init.mp4`, init);
  for (const number of [0, 1, 2]) {
    const piece = sample(`${kind}-${number}.m4s`);
    const [bytes, at] = [new DataView(piece.buffer), Buffer.from(piece).indexOf("tfdt") + 4];
    if (piece[at] === 1) bytes.setBigUint64(at + 4, bytes.getBigUint64(at + 4) + BigInt(ticks));
    else bytes.setUint32(at + 4, bytes.getUint32(at + 4) + ticks);
    hls.files.set(`/${folder}/${number}.m4s`, piece);
  }
}

const putMain = (video: string, audio: string) =>
  hls.files.set("/main.m3u8", mainPlaylistWithSound(video, audio));

/** The seconds by which pictures begin after their sound, in each of so many equal runs of a file. */
async function distances(runs = 1, path = "/main.m3u8"): Promise<number[]> {
  const source = await openHls(new URL(path, hls.origin));
  const tracks = await readTracks(await bytesOf(source));
  const begins = tracks.map(({ type, packets }) => {
    const times = Array.from({ length: runs }, (_, run) =>
      Math.min(
        ...packets
          .slice((run * packets.length) / runs, ((run + 1) * packets.length) / runs)
          .map(({ time }) => time),
      ),
    );
    return { type, times };
  });
  const timesOf = (type: string) => begins.find((track) => track.type === type)?.times ?? [];
  return timesOf("video").map((time, run) => time - (timesOf("audio")[run] ?? 0));
}

/** What they are apart without anything that could change it. */
async function usual(): Promise<number> {
  putMain("/video/index.m3u8", "/audio/index.m3u8");
  return (await distances())[0] ?? 0;
}

describe.each([
  ["later", "video", 0.8],
  ["earlier", "audio", -0.8],
] as const)("pictures that begin %s than their sound", (_, late, distance) => {
  const put = (lines: string[]) => {
    for (const kind of ["video", "audio"] as const) {
      putLate(kind, kind, kind === late ? 0.8 : 0);
      hls.files.set(`/${kind}/index.m3u8`, mediaPlaylist(lines));
    }
    putMain("/video/index.m3u8", "/audio/index.m3u8");
  };

  test("do so in the file", async () => {
    const before = await usual();
    put([INIT, ...PIECES]);
    expect((await distances())[0]).toBeCloseTo(before + distance, 2);
  });

  test("do so where the first piece follows a discontinuity", async () => {
    const before = await usual();
    put([INIT, "#EXT-X-DISCONTINUITY", ...PIECES]);
    expect((await distances())[0]).toBeCloseTo(before + distance, 2);
  });

  test("do so after each discontinuity", async () => {
    const before = await usual();
    const cut = "#EXT-X-DISCONTINUITY";
    put([INIT, ...PIECES, cut, ...PIECES, cut, ...PIECES]);
    for (const found of await distances(3)) expect(found).toBeCloseTo(before + distance, 2);
  });
});

describe("pictures of DASH whose clock is ahead of that of the sound", () => {
  const ahead = (offset: number) =>
    period((kind: Kind) =>
      kind === "audio"
        ? byTimeline(kind)
        : byTimeline(kind)
            .replace('timescale="1000"', `timescale="1000" presentationTimeOffset="${1000 * offset}"`)
            .replace('t="0"', `t="${1000 * offset}"`),
    );

  test.each([[5], [0.5], [1000]])("by %s seconds begin with it, in each Period", async (offset) => {
    const before = await usual();
    putLate("video", "video", offset);
    for (const periods of [1, 2]) {
      hls.files.set("/launch/manifest.mpd", mpd(Array.from({ length: periods }, () => ahead(offset))));
      const found = await distances(periods, "/launch/manifest.mpd");
      expect(found).toHaveLength(periods);
      for (const distance of found) expect(distance).toBeCloseTo(before, 2);
    }
  });
});
