/** Videos in pieces become one file that holds what the original held. */
import { describe, expect, test } from "vitest";
import { Demuxer } from "../../../core/hls/demux.ts";
import { inspectHls, openHls } from "../../../core/hls/mod.ts";
import { playlistName } from "../../../core/hls/open.ts";
import { upload } from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import {
  bytesOf,
  decodingTimesOf,
  expectOriginal,
  FRAME,
  readTracks,
} from "../../support/hls/hls-original.ts";
import { mediaPlaylist, pieceLines, sample } from "../../support/hls/hls-server.ts";
import { useHls } from "../../support/hls/use-hls.ts";
import { MARKER } from "../../support/marker.ts";

const service = useService();
const hls = useHls();

const at = (path: string) => new URL(path, hls.origin);

const bytesAt = async (path: string, options: Parameters<typeof openHls>[1] = {}) =>
  await bytesOf(await openHls(at(path), options));

/** Bytes of the tables that each piece of MPEG-TS begins with. */
const TABLES = 3 * 188;

/** A piece of AVC in which delimiters, which say nothing, stand in place of the parameter sets. */
function withoutParameterSets(piece: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const [delimiter, sets] = [9, [7, 8]];
  let found = 0;
  for (let at = 0; at + 4 < piece.length; at++) {
    const kind = piece[at + 3] ?? 0;
    if (piece[at] !== 0 || piece[at + 1] !== 0 || piece[at + 2] !== 1 || !sets.includes(kind & 31)) continue;
    piece[at + 3] = (kind & 0x60) | delimiter;
    found++;
  }
  expect(found).toBeGreaterThan(0);
  return piece;
}

test.each(["/separate/main.m3u8", "/ranges/mp4.m3u8"])(
  "%s is uploaded as the one file it becomes",
  async (path) => {
    const { asset, size } = await upload(service.client(), await openHls(at(path)));
    await service.whole(asset.id);
    const stored = new Uint8Array(await (await fetch(String(asset.downloadUrl))).arrayBuffer());
    expect(stored.length).toBe(size);
    await expectOriginal(stored);
    // The account's token, which bears the marker, is for the service alone.
    expect(JSON.stringify(hls.headers)).not.toContain(MARKER);
  },
);

describe("a video in pieces becomes one file that holds the packets of the original", () => {
  test.each([
    ["MPEG-TS", "/ts/index.m3u8"],
    ["fMP4", "/fmp4/index.m3u8"],
    ["sound of its own", "/separate/main.m3u8"],
    ["ranges of one MPEG-TS file", "/ranges/ts.m3u8"],
    ["AES-128", "/aes/index.m3u8"],
  ])("%s", async (_, path) => {
    await expectOriginal(await bytesAt(path));
    // Nothing is asked for twice, and a server is not beset.
    expect(new Set(hls.requests).size).toBe(hls.requests.length);
    expect(hls.mostAtOnce).toBeLessThanOrEqual(3);
  });

  test("ranges of one MP4 file, which is taken as it is", async () => {
    const bytes = await bytesAt("/ranges/mp4.m3u8");
    expect(Buffer.from(bytes).equals(hls.files.get("/ranges/all.mp4") as Uint8Array)).toBe(true);
  });

  test("MPEG-TS whose tables come by themselves", async () => {
    const names = ["0.ts", "1.ts", "2.ts"];
    hls.files.set("/tables/init.ts", sample("ts-0.mpegts").subarray(0, TABLES));
    for (const [at, name] of names.entries())
      hls.files.set(`/tables/${name}`, sample(`ts-${at}.mpegts`).subarray(TABLES));
    hls.files.set("/tables/index.m3u8", mediaPlaylist(['#EXT-X-MAP:URI="init.ts"', ...pieceLines(names)]));
    await expectOriginal(await bytesAt("/tables/index.m3u8"));
  });

  test.each([
    ["stand behind the first packets of each piece", 40, [0, 1, 2]],
    ["stand at the end of the first piece alone", undefined, [0]],
  ])("MPEG-TS whose tables %s", async (_, behind, having) => {
    for (const at of [0, 1, 2]) {
      const piece = sample(`ts-${at}.mpegts`);
      const [tables, rest] = [piece.subarray(0, TABLES), piece.subarray(TABLES)];
      const place = behind === undefined ? rest.length : behind * 188;
      const parts = having.includes(at) ? [rest.subarray(0, place), tables, rest.subarray(place)] : [rest];
      hls.files.set(`/late/${at}.ts`, Buffer.concat(parts));
    }
    hls.files.set("/late/index.m3u8", mediaPlaylist(pieceLines(["0.ts", "1.ts", "2.ts"])));
    await expectOriginal(await bytesAt("/late/index.m3u8"));
  });

  test("MPEG-TS whose pictures change their size on the way, as players take it", async () => {
    const piece = sample("ts-1.mpegts");
    const parameters = Buffer.from(piece).indexOf(Buffer.from([0, 0, 1, 0x67]));
    // Two more rows are cut off.
    piece[parameters + 12] = (piece[parameters + 12] ?? 0) ^ 0x40;
    const [pictures] = await new Demuxer().read({ bytes: piece, init: undefined }, ["video"]);
    expect(pictures?.config).toMatchObject({ codedWidth: 160, codedHeight: 88 });
    hls.files.set("/ts/1.ts", piece);
    await expectOriginal(await bytesAt("/ts/index.m3u8"));
  });

  test("MPEG-TS that is cut anywhere, which goes on in the next piece", async () => {
    const whole = Buffer.concat([0, 1, 2].map((at) => sample(`ts-${at}.mpegts`)));
    // Each after so many packets, wherever that is in a picture.
    const cuts = [0, 61, 230, 401, whole.length / 188].map((packets) => packets * 188);
    const names = cuts.slice(1).map((end, at) => {
      hls.files.set(`/cut/${at}.ts`, whole.subarray(cuts[at], end));
      return `${at}.ts`;
    });
    hls.files.set("/cut/index.m3u8", mediaPlaylist(pieceLines(names)));
    const bytes = await bytesAt("/cut/index.m3u8");
    await expectOriginal(bytes);
    // Pictures of the next piece are shown before the last ones of this, and decoded after them.
    for (const track of [1, 2]) {
      const times = decodingTimesOf(bytes, track);
      expect(times.findIndex((time, before) => time >= (times[before + 1] ?? Number.POSITIVE_INFINITY))).toBe(
        -1,
      );
    }
  });

  test("MPEG-TS that was encoded in parts, whose packets are counted anew in each", async () => {
    const last = sample("ts-2.mpegts");
    const counted = new Map<number, number>();
    for (let at = 0; at < last.length; at += 188) {
      const stream = (last[at + 1] ?? 0) * 256 + (last[at + 2] ?? 0);
      const count = counted.get(stream & 0x1fff) ?? 0;
      counted.set(stream & 0x1fff, count + 1);
      last[at + 3] = ((last[at + 3] ?? 0) & 0xf0) | (count & 0x0f);
    }
    hls.files.set("/ts/2.ts", last);
    await expectOriginal(await bytesAt("/ts/index.m3u8"));
    expect(new Set(hls.requests).size).toBe(hls.requests.length);
  });

  test("MPEG-TS whose parameter sets are in its first piece alone, also where its times begin again", async () => {
    const names = ["first.ts", "1.ts", "2.ts", "0.ts", "1.ts", "2.ts"];
    hls.files.set("/bare/first.ts", sample("ts-0.mpegts"));
    for (const at of [0, 1, 2])
      hls.files.set(`/bare/${at}.ts`, withoutParameterSets(sample(`ts-${at}.mpegts`)));
    const [once, again] = [pieceLines(names.slice(0, 3)), pieceLines(names.slice(3))];
    hls.files.set("/bare/index.m3u8", mediaPlaylist([...once, "#EXT-X-DISCONTINUITY", ...again]));
    await expectOriginal(await bytesAt("/bare/index.m3u8"), 2);
  });

  test("with times that start again at a discontinuity", async () => {
    const once = pieceLines(["0.ts", "1.ts", "2.ts"]);
    const lines = [...once, "#EXT-X-DISCONTINUITY", ...once, "#EXT-X-DISCONTINUITY", ...once];
    hls.files.set("/ts/thrice.m3u8", mediaPlaylist(lines));
    const bytes = await bytesAt("/ts/thrice.m3u8");
    await expectOriginal(bytes, 3);
    for (const { packets, end } of await readTracks(bytes)) {
      const times = packets.map(({ time }) => time).sort((a, b) => a - b);
      const gaps = times.slice(1).map((time, before) => time - (times[before] ?? 0));
      // Sound ends some samples beside the pictures.
      expect(Math.max(...gaps)).toBeLessThan(2.5 * FRAME);
      expect(Math.min(...gaps)).toBeGreaterThan(0);
      expect(Math.abs(end - 18)).toBeLessThan(5 * FRAME);
    }
  });
});

describe("onProgress", () => {
  test("tells what of the file is fetched, and how large all of it will be, once for each piece", async () => {
    for (const [path, pieces] of [
      ["/ts/index.m3u8", 3],
      ["/separate/main.m3u8", 7],
    ] as const) {
      const told: { fetched: number; estimated: number }[] = [];
      const bytes = await bytesAt(path, { onProgress: (progress) => told.push(progress) });
      expect(told).toHaveLength(pieces);
      expect(told.at(-1)).toEqual({ fetched: bytes.length, estimated: bytes.length });
      const fetched = told.map((each) => each.fetched);
      expect(fetched).toEqual([...fetched].sort((a, b) => a - b));
      for (const { estimated } of told.slice(1))
        expect(Math.abs(estimated / bytes.length - 1)).toBeLessThan(0.5);
    }
  });

  test("ends the upload by what it throws", async () => {
    const onProgress = () => {
      throw new Error("no more");
    };
    const video = await openHls(at("/ts/index.m3u8"), { onProgress });
    await expect(upload(service.client(), video)).rejects.toMatchObject({ code: "source-unreadable" });
  });
});

describe("qualities", () => {
  const serveQualities = () => {
    const quality = (attributes: string, codec: string, address: string) =>
      `#EXT-X-STREAM-INF:BANDWIDTH=${attributes},CODECS="${codec},mp4a.40.2"\n${address}`;
    hls.files.set(
      "/main.m3u8",
      [
        "#EXTM3U",
        quality("60000,RESOLUTION=80x46", "avc1.64000a", "small.m3u8"),
        quality(
          "400000,AVERAGE-BANDWIDTH=120000,RESOLUTION=160x90,FRAME-RATE=30.000",
          "avc1.64000b",
          "ts/index.m3u8",
        ),
        quality("900000,RESOLUTION=320x180", "dvh1.05.01", "large.m3u8"),
        quality("800000,RESOLUTION=300x170", "avc1.64000b", "protected.m3u8"),
        '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=9000,RESOLUTION=320x180,URI="pictures.m3u8"',
      ].join("\n"),
    );
    const key = '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://one",KEYFORMAT="com.apple.streamingkeydelivery"';
    hls.files.set("/small.m3u8", mediaPlaylist(pieceLines(["ts/0.ts"])));
    hls.files.set("/large.m3u8", mediaPlaylist(pieceLines(["0.mp4"])));
    hls.files.set("/protected.m3u8", mediaPlaylist([key, ...pieceLines(["0.ts"])]));
  };

  test("inspectHls() lists them, the best one first, and says why one can't be taken", async () => {
    serveQualities();
    const { qualities } = await inspectHls(at("/main.m3u8"));
    expect(qualities).toMatchObject([
      { id: "180p-900000", width: 320, height: 180, problem: { code: "unsupported-video" } },
      { id: "170p-800000", problem: { code: "protected-video" } },
      { id: "90p-120000", frameRate: 30, bitrate: 120_000, size: 90_000, duration: 6000, live: false },
      { id: "46p-60000", width: 80, size: 15_000, duration: 2000 },
    ]);
    expect(qualities.slice(2).map(({ problem }) => problem)).toEqual([undefined, undefined]);
    expect(qualities[0]?.problem?.message).toContain("dvh1.05.01");
    expect(qualities[1]?.problem?.message).toContain("FairPlay");
    expect(hls.requests.filter((path) => path.endsWith(".ts"))).toEqual([]);
  });

  test("inspectHls() names every playlist that belongs to the video, and where its bytes are read from", async () => {
    hls.files.set(
      "/main.m3u8",
      [
        "#EXTM3U",
        '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="English",DEFAULT=YES,URI="/sound.m3u8"',
        '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="texts",NAME="English",URI="/texts.m3u8"',
        '#EXT-X-STREAM-INF:BANDWIDTH=60000,AUDIO="sound"',
        "/video.m3u8",
        "#EXT-X-STREAM-INF:BANDWIDTH=50000",
        "/missing.m3u8",
        '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=9000,URI="/pictures.m3u8"',
        "",
      ].join("\n"),
    );
    const key = '#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/1"';
    const init = '#EXT-X-MAP:URI="https://inits.example:8443/init.mp4"';
    hls.files.set("/video.m3u8", mediaPlaylist([key, init, ...pieceLines(["https://pieces.example/0.m4s"])]));
    hls.files.set("/sound.m3u8", mediaPlaylist(pieceLines(["https://sound.example/0.m4s"])));
    const { qualities, playlists } = await inspectHls(at("/main.m3u8"));
    const names = ["sound", "texts", "pictures", "video", "missing"];
    expect([...playlists].sort()).toEqual(names.map((name) => `${hls.origin}/${name}.m3u8`).sort());
    const elsewhere = ["inits.example:8443", "keys.example", "pieces.example", "sound.example"];
    expect(qualities.map(({ origins }) => origins.toSorted())).toEqual([
      [hls.origin, ...elsewhere.map((host) => `https://${host}`)],
      [],
    ]);
  });

  test("inspectHls() names no playlist but the one there is", async () => {
    const { qualities, playlists } = await inspectHls(at("/ts/index.m3u8"));
    expect([playlists, qualities[0]?.origins]).toEqual([[], [hls.origin]]);
  });

  test("openHls() takes the best that can be taken, and no piece of another", async () => {
    serveQualities();
    await expectOriginal(await bytesAt("/main.m3u8"));
    expect(hls.requests.filter((path) => path.endsWith(".ts"))).toEqual(["/ts/0.ts", "/ts/1.ts", "/ts/2.ts"]);
  });

  test("openHls() takes the one that is asked for, and refuses one that isn't there", async () => {
    serveQualities();
    const [video] = await readTracks(await bytesAt("/main.m3u8", { quality: "46p-60000" }));
    expect(video?.packets.length).toBe(60);
    await expect(openHls(at("/main.m3u8"), { quality: "1080p" })).rejects.toMatchObject({
      code: "invalid-option",
      message: expect.stringContaining("46p-60000"),
    });
    await expect(openHls(at("/main.m3u8"), { quality: "170p-800000" })).rejects.toMatchObject({
      code: "protected-video",
    });
  });
});

test.each([
  ["https://video.example/launch/index.m3u8", "launch.mp4"],
  ["https://video.example/launch.mp4/playlist.m3u8", "launch.mp4"],
  ["https://video.example/a/My%20Video.m3u8?x=1", "My Video.mp4"],
  ["https://video.example/master.m3u8", "video.mp4"],
  ["https://video.example/a%2Fb/1/main.m3u8", "a b.mp4"],
])("%s is named %s", (address, name) => {
  expect(playlistName(new URL(address))).toBe(name);
});
