/** The parts of reading videos in pieces that need no server. */
import { describe, expect, test } from "vitest";
import { boxesIn, findBoxes } from "../../../core/hls/boxes.ts";
import type { PieceTrack } from "../../../core/hls/demux.ts";
import { decodingTimes, delayOf, sampleReader, writeIndex } from "../../../core/hls/mux.ts";
import { playlistName } from "../../../core/hls/open.ts";
import { type MainPlaylist, type MediaPlaylist, placeUrl } from "../../../core/hls/playlist.ts";
import { readPlaylist } from "../../../core/hls/read-playlist.ts";
import { readCheckpoint, writeCheckpoint } from "../../../core/hls/remuxed-source.ts";
import {
  beginTimeline,
  firstInRun,
  type Lane,
  placePiece,
  planUnits,
  type Timeline,
} from "../../../core/hls/timeline.ts";
import { mediaPlaylist, pieceLines } from "../../support/hls/hls-server.ts";

const URL_OF_LIST = new URL("https://video.example/launch/index.m3u8?key=secret");
const media = (lines: readonly string[], options = {}) =>
  readPlaylist(mediaPlaylist(lines, options), URL_OF_LIST).playlist as MediaPlaylist;

describe("a media playlist", () => {
  test("gives pieces their lengths, numbers, runs, ranges and keys", () => {
    const { pieces, duration, ended } = media([
      "#EXT-X-MEDIA-SEQUENCE:7",
      '#EXT-X-KEY:METHOD=AES-128,URI="a.key",IV=0x0A',
      '#EXT-X-MAP:URI="init.mp4",BYTERANGE="10@5"',
      "#EXTINF:2.5,title, with commas",
      "#EXT-X-BYTERANGE:100@50",
      "all.mp4",
      "#EXTINF:1.5",
      "#EXT-X-BYTERANGE:20",
      "all.mp4",
      "#EXT-X-DISCONTINUITY",
      "#EXT-X-KEY:METHOD=NONE",
      "#EXTINF:3,",
      "//other.example/last.mp4",
    ]);
    expect([duration, ended]).toEqual([7, true]);
    const folder = "https://video.example/launch";
    const iv = new Uint8Array(16);
    iv[15] = 10;
    const init = {
      href: `${folder}/init.mp4`,
      range: { start: 5, end: 15 },
      key: { href: `${folder}/a.key`, iv },
    };
    expect(pieces).toMatchObject([
      {
        href: `${folder}/all.mp4`,
        range: { start: 50, end: 150 },
        sequence: 7n,
        run: 0,
        duration: 2.5,
        init,
      },
      { href: `${folder}/all.mp4`, range: { start: 150, end: 170 }, sequence: 8n, run: 0, key: { iv } },
      { href: "https://other.example/last.mp4", range: undefined, sequence: 9n, run: 1, key: undefined },
    ]);
  });

  test("takes the first bytes for an init whose range tells no beginning", () => {
    const lines = [
      '#EXT-X-MAP:URI="all.mp4",BYTERANGE="800"',
      "#EXTINF:2,",
      "#EXT-X-BYTERANGE:20@800",
      "all.mp4",
    ];
    expect(media(lines).pieces[0]?.init?.range).toEqual({ start: 0, end: 800 });
  });

  test("has no init where one is announced without an address", () => {
    expect(media(["#EXT-X-MAP", ...pieceLines(["0.ts"])]).pieces[0]?.init).toBeUndefined();
  });

  test.each([
    ["1.9999999999999998", 1.9999999999999998],
    [`2.${"0".repeat(60)}`, 2],
    [" 2. ", 2],
    ["+2", 2],
    [".5", 0.5],
    ["9.313225746154785e-10", 2 ** -30],
  ])("takes a length of %s", (text, seconds) => {
    expect(media([`#EXTINF:${text},title`, "0.ts"]).pieces[0]?.duration).toBe(seconds);
  });

  test("is over at its end, or where it says that it won't change", () => {
    const lines = pieceLines(["0.ts"]);
    expect(media(lines, { ended: false }).ended).toBe(false);
    expect(media(["#EXT-X-PLAYLIST-TYPE:EVENT", ...lines], { ended: false }).ended).toBe(false);
    expect(media(["#EXT-X-PLAYLIST-TYPE:VOD", ...lines], { ended: false }).ended).toBe(true);
    const early = media(["#EXT-X-ENDLIST", ...lines, ...lines], { ended: false });
    expect([early.ended, early.pieces.length]).toEqual([true, 2]);
  });

  test.each([
    ["leaves out pieces which an earlier one named", "#EXT-X-SKIP:SKIPPED-SEGMENTS=3", "EXT-X-SKIP"],
    ["holds single pictures alone", "#EXT-X-I-FRAMES-ONLY", "single pictures"],
  ])("that %s can't be taken", (_, tag, words) => {
    const { problem } = media([tag, ...pieceLines(["3.ts"])]);
    expect(problem).toMatchObject({ code: "unsupported-video", message: expect.stringContaining(words) });
  });

  test("fills in variables: its own, those of its address, and those of its main playlist", () => {
    const main = readPlaylist(
      [
        "#EXTM3U",
        '#EXT-X-DEFINE:NAME="host",VALUE="cdn.example"',
        '#EXT-X-DEFINE:QUERYPARAM="key"',
        "#EXT-X-STREAM-INF:BANDWIDTH=1",
        "https://{$host}/{$key}.m3u8",
      ].join("\n"),
      URL_OF_LIST,
    );
    expect((main.playlist as MainPlaylist).variants[0]?.href).toBe("https://cdn.example/secret.m3u8");
    const lines = ['#EXT-X-DEFINE:IMPORT="host"', ...pieceLines(["https://{$host}/{0.ts"])];
    const { playlist } = readPlaylist(mediaPlaylist(lines), URL_OF_LIST, main.variables);
    expect((playlist as MediaPlaylist).pieces[0]?.href).toBe("https://cdn.example/%7B0.ts");
  });

  test.each([
    ["a piece without a length", ["0.ts"]],
    ["a negative length", ["#EXTINF:-1,", "0.ts"]],
    ["a length that is none", ["#EXTINF:NaN,", "0.ts"]],
    ["a length without end", ["#EXTINF:1e9,", "0.ts"]],
    ["a length that is a text", ["#EXTINF:two,", "0.ts"]],
    ["a number of a piece that is none", ["#EXT-X-MEDIA-SEQUENCE:-1", ...pieceLines(["0.ts"])]],
    ["over a week in all", pieceLines(["0.ts", "1.ts"], 4 * 24 * 3600)],
    ["a range without its beginning", ["#EXTINF:1,", "#EXT-X-BYTERANGE:5", "0.ts"]],
    ["a range of nothing", ["#EXTINF:1,", "#EXT-X-BYTERANGE:0@5", "0.ts"]],
    ["an IV that is none", ['#EXT-X-KEY:METHOD=AES-128,URI="k",IV=0xZZ', ...pieceLines(["0.ts"])]],
    ["a variable that its address lacks", ['#EXT-X-DEFINE:QUERYPARAM="token"', ...pieceLines(["0.ts"])]],
    ["a variable that nothing defines", pieceLines(["{$unknown}0.ts"])],
    ["a variable of no main playlist", ['#EXT-X-DEFINE:IMPORT="host"', ...pieceLines(["0.ts"])]],
    ["an init that isn't named", ["#EXT-X-MAP:X=1,URI=", "#EXTINF:1,", "http://["]],
  ])("with %s is refused", (_, lines) => {
    expect(() => media(lines)).toThrow(expect.objectContaining({ code: "unsupported-video" }));
  });
});

test.each([
  ["of no meaning here", 'name="x",X-é=1,_y=2,RESOLUTION=160x90,AUDIO="a"'],
  ["that are none", 'x,"y",=z,RESOLUTION=160x90,,AUDIO="a",'],
  ["that hold commas without quotes", 'CODECS=avc1.64001f,mp4a.40.2,RESOLUTION=160x90,AUDIO="a"'],
  ["with blanks", ' x = y , RESOLUTION = 160x90 ,\tAUDIO = "a" '],
  ["with a name that is too long", `${"X".repeat(200)}=1,RESOLUTION=160x90,AUDIO="a"`],
  ["twice", 'RESOLUTION=160x90,AUDIO="a",RESOLUTION=1x1,AUDIO="b"'],
  ["that aren't closed", 'RESOLUTION=160x90,AUDIO="a",NAME="b,RESOLUTION=1x1'],
])("attributes %s hide no others", (_, list) => {
  const text = `#EXTM3U\n#EXT-X-STREAM-INF:${list}\n0.m3u8\n`;
  const { variants } = readPlaylist(text, URL_OF_LIST).playlist as MainPlaylist;
  expect(variants).toMatchObject([{ width: 160, height: 90, audio: "a" }]);
});

test.each([
  ["http://video.example/", "http://127.0.0.1/0.ts"],
  ["http://video.example/", "http://nas.local/0.ts"],
  ["https://video.example/", "http://video.example/0.ts"],
])("a playlist at %s may not name %s", (base, address) => {
  expect(() => placeUrl(address, new URL(base))).toThrow(
    expect.objectContaining({ code: "unsupported-video" }),
  );
});

test.each([
  ["http://127.0.0.1:8080/", "http://127.0.0.1/0.ts"],
  ["http://192.168.1.5/", "http://10.0.0.1/0.ts"],
  ["http://video.example/", "https://172.32.0.1/0.ts"],
])("a playlist at %s may name %s", (base, address) => {
  expect(placeUrl(address, new URL(base)).href).toBe(address);
});

const track = (first: number, end: number, type: "video" | "audio" = "video") =>
  ({ type, first, end, packets: [] }) as unknown as PieceTrack;

const begin = (lanes: PieceTrack[][], run = 0) => {
  const [main = null, audio = null] = lanes.map((tracks) => firstInRun(tracks));
  return beginTimeline(run, [main, audio]);
};

/** Places pieces one after another and gives where each begins. */
function starts(
  begun: Timeline,
  pieces: [lane: Lane, run: number, tracks: PieceTrack[], otherFirst?: number][],
): number[] {
  let timeline = begun;
  return pieces.map(([lane, run, tracks, otherFirst = null]) => {
    const { offset, after } = placePiece(timeline, { lane, run, piece: { duration: 4 } }, otherFirst, tracks);
    timeline = after;
    return Math.round((Math.min(...tracks.map(({ first }) => first)) + offset) * 1000) / 1000;
  });
}

describe("pieces are placed", () => {
  const one = [track(10, 14)];

  test("from zero on, sound and pictures as far apart as they are", () => {
    const both = [track(10.02, 14.02), track(10, 14.01, "audio")];
    expect(starts(begin([both]), [[0, 0, both]])).toEqual([0]);
    const lanes = [[track(10.02, 14.02)], [track(10, 14, "audio")]];
    const begun = begin(lanes);
    expect(
      starts(begun, [
        [0, 0, lanes[0] ?? []],
        [1, 0, lanes[1] ?? []],
      ]),
    ).toEqual([0.02, 0]);
    // Clocks that have nothing to do with each other.
    const apart = [[track(10, 14)], [track(500, 504, "audio")]];
    expect(
      starts(begin(apart), [
        [0, 0, apart[0] ?? []],
        [1, 0, apart[1] ?? []],
      ]),
    ).toEqual([0, 0]);
  });

  test.each<[string, number, number]>([
    ["where their times go on", 14, 4],
    ["a little later, where nothing is in between", 16, 6],
    ["a little earlier, where they overlap", 13.9, 3.9],
    ["behind each other, where a counter overflows", -95_443.7 + 14, 4],
    ["behind each other, where times start again", 0, 4],
    ["behind each other, where there is a gap that nobody would wait through", 1000, 4],
  ])("%s", (_, first, start) => {
    expect(
      starts(begin([one]), [
        [0, 0, one],
        [0, 0, [track(first, first + 4)]],
      ]),
    ).toEqual([0, start]);
  });

  test("behind a shorter one, where times start again with each", () => {
    const pieces = [[track(10, 11)], [track(10, 14)], [track(10, 10.5)], [track(10, 14)]];
    const placed = starts(
      begin(pieces.slice(0, 1)),
      pieces.map((tracks) => [0, 0, tracks]),
    );
    expect(placed).toEqual([0, 1, 5, 5.5]);
  });

  test("where their times tell, though nothing is in the beginning of one", () => {
    const sound = [track(10, 14, "audio")];
    const placed = starts(begin([one, sound]), [
      [0, 0, one],
      [1, 0, sound],
      [0, 0, [track(14, 24)]],
      [1, 0, [track(22, 24, "audio")]],
      [1, 0, [track(24, 28, "audio")]],
    ]);
    expect(placed).toEqual([0, 0, 4, 12, 14]);
  });

  test("behind all that came before, after a discontinuity", () => {
    const sound = [track(10, 14.05, "audio")];
    const begun = begin([one, sound]);
    const placed = starts(begun, [
      [0, 0, one],
      [1, 0, sound],
      [0, 1, [track(700, 704)]],
      [1, 1, [track(699.98, 703.98, "audio")]],
    ]);
    // Sound may begin before the pictures, but not before the sound of the former run is over.
    expect(placed).toEqual([0, 0, 4.05, 4.05]);
  });

  test("after a discontinuity as far apart as they are, and behind both that came before", () => {
    const sound = [track(10, 14.05, "audio")];
    for (const run of [0, 1]) {
      const next = run + 1;
      const begun = begin([one, sound], run);
      const placed = starts(begun, [
        [0, run, one],
        [1, run, sound],
        [0, next, [track(700.8, 704.8)], 700],
        [1, next, [track(700, 704, "audio")]],
        [0, next + 1, [track(20, 24)], 20.5],
        [1, next + 1, [track(20.5, 24.5, "audio")]],
        // Clocks that have nothing to do with each other.
        [0, next + 2, [track(20, 24)], 500],
        [1, next + 2, [track(500, 504, "audio")]],
      ]);
      expect(placed).toEqual([0, 0, 4.85, 4.05, 8.85, 9.35, 13.35, 13.35]);
    }
  });

  test("as far apart as they are, where one lane begins a piece earlier, or its counter starts again", () => {
    const cycle = 2 ** 33 / 90_000;
    for (const [pictures, sound] of [
      [106, 100],
      [cycle - 0.5, 0.5],
      [0.5, cycle - 0.5],
      [cycle * 20_000 + 1, 0.5],
    ] as const) {
      const lanes = [[track(pictures, pictures + 4)], [track(sound, sound + 4, "audio")]];
      const placed = starts(begin(lanes), [
        [0, 0, lanes[0] ?? []],
        [1, 0, lanes[1] ?? []],
      ]);
      const distance = pictures - sound - cycle * Math.round((pictures - sound) / cycle);
      expect((placed[0] ?? 0) - (placed[1] ?? 0)).toBeCloseTo(distance, 2);
      expect(Math.min(...placed)).toBe(0);
    }
  });

  test("as far apart as they are behind a piece without anything in it", () => {
    const sound = [track(10, 14, "audio")];
    let timeline = begin([one, sound]);
    const place = (lane: Lane, tracks: PieceTrack[]) => {
      const { offset, after } = placePiece(timeline, { lane, run: 0, piece: { duration: 8 } }, null, tracks);
      timeline = after;
      return offset;
    };
    const offsets = [place(0, one), place(1, sound), place(0, []), place(1, [track(14, 22, "audio")])];
    offsets.push(place(0, [track(22, 30)]), place(1, [track(22, 30, "audio")]));
    expect(offsets).toEqual([-10, -10, 0, -10, -10, -10]);
  });

  test("and a process that goes on places the next one alike", () => {
    const begun = begin([one]);
    const { after } = placePiece(begun, { lane: 0, run: 0, piece: { duration: 4 } }, null, one);
    const timeline = { ...after, earliest: [5, 7] };
    const kept = writeCheckpoint({ unit: 1, at: 9, count: 3, timeline }, "digest");
    expect(readCheckpoint(kept)).toEqual({ unit: 1, at: 9, count: 3, timeline });
    for (const damaged of ["", "{}", "[]", kept.replace("1,", '"1",'), kept.replace("[", "[1,"), "null"])
      expect(readCheckpoint(damaged)).toBeUndefined();
  });
});

test("pieces of pictures and their sound take turns, run by run", () => {
  const pictures = media([...pieceLines(["v0", "v1"], 4), "#EXT-X-DISCONTINUITY", ...pieceLines(["v2"], 4)]);
  const sound = media([
    ...pieceLines(["a0", "a1", "a2"], 3),
    "#EXT-X-DISCONTINUITY",
    ...pieceLines(["a3"], 4),
  ]);
  const order = (main: MediaPlaylist, audio?: MediaPlaylist) =>
    planUnits(main, audio).map(({ piece, run }) => `${piece.href.slice(-2)} ${run}`);
  expect(order(pictures, sound)).toEqual(["v0 0", "a0 0", "a1 0", "v1 0", "a2 0", "v2 1", "a3 1"]);
  expect(order(pictures)).toEqual(["v0 0", "v1 0", "v2 1"]);
  // Where only one of them tells where its clock starts again, nobody can say what belongs together.
  expect(order(pictures, media(pieceLines(["a0"], 12)))).toEqual(["v0 0", "a0 0", "v1 0", "v2 0"]);
});

test("pictures are decoded before they are shown by as much as their order asks for", () => {
  expect(delayOf([])).toBe(0);
  expect(delayOf([70, 80, 90])).toBe(0);
  // A piece may be cut behind the picture that is shown last.
  expect(delayOf([70, 100, 80, 90])).toBe(21);
  expect(delayOf([70, 110, 90, 80, 100])).toBe(32);
});

test("pictures are decoded in their order, and none later than it is shown", () => {
  expect(decodingTimes([70, 110, 90, 80, 100], 32)).toEqual([70, 80, 90, 100, 110]);
  expect(decodingTimes([80, 100], 32, 111)).toEqual([111, 112]);
  // In pieces that need a longer delay than the first one did.
  expect(decodingTimes([70, 110, 90, 80, 100], 0)).toEqual([70, 78, 79, 80, 100]);
});

test("a box of MP4 may tell its length in 64 bits", () => {
  const box = [0, 0, 0, 1, ...Buffer.from("free"), 0, 0, 0, 0, 0, 0, 0, 17, 5];
  expect([...boxesIn(Uint8Array.from(box))]).toEqual([{ type: "free", start: 0, content: 16, end: 17 }]);
});

test("a fragment has a number, and may hold as many samples as a piece of half an hour", () => {
  const sample = { size: 1, time: 0, decoded: 0, duration: 1024, isKey: true };
  const samples = Array.from({ length: 100_000 }, (_, at) => ({ ...sample, decoded: at }));
  const index = writeIndex(1, [{ id: 1, samples, delay: 0 }]);
  expect(index.length).toBeGreaterThan(16 * samples.length);
  expect([...boxesIn(index, 8)].map(({ type }) => type)).toEqual(["mfhd", "traf"]);
  // In the first version of it, no time is negative.
  expect(findBoxes(index, ["moof", "traf", "trun"]).map(({ content }) => index[content])).toEqual([1]);
});

describe("samples", () => {
  const write = (data: number[], more: object): number[] =>
    sampleReader(more as PieceTrack)(Uint8Array.from(data)).flatMap((run) => [...run]);
  const avc = { type: "video", codec: "avc", config: {} };

  test.each([
    ["one unit", [0, 0, 1, 5, 6], [0, 0, 0, 2, 5, 6]],
    ["marks of three and four bytes", [0, 0, 0, 1, 9, 0, 0, 1, 7, 8], [0, 0, 0, 1, 9, 0, 0, 0, 2, 7, 8]],
    ["zeros within a unit and behind it", [0, 0, 1, 3, 0, 0, 3, 1, 0, 0, 0, 0], [0, 0, 0, 5, 3, 0, 0, 3, 1]],
    ["what comes before the first mark", [4, 4, 0, 0, 1, 5], [0, 0, 0, 1, 5]],
  ])("of pictures: %s", (_, data, expected) => {
    expect(write(data, avc)).toEqual(expected);
  });

  test("of pictures that can't be read are refused", () => {
    for (const data of [[], [1, 2, 3], [0, 0, 1], [0, 0, 1, 0, 0]])
      expect(() => write(data, avc)).toThrow("picture");
  });

  test("of AAC lose their header, and others stay as they are", () => {
    const aac = { type: "audio", codec: "aac", config: {} };
    expect(write([0xff, 0xf1, 0, 0, 0, 0, 0, 42], aac)).toEqual([42]);
    expect(write([0xff, 0xf0, 0, 0, 0, 0, 0, 1, 2, 43], aac)).toEqual([43]);
    expect(() => write([1, 2, 3, 4, 5, 6, 7, 8], aac)).toThrow("sound");
    expect(() => write([0xff, 0xf1, 0, 0, 0, 0, 0], aac)).toThrow("sound");
    expect(write([1, 2], { ...aac, config: { description: new Uint8Array(2) } })).toEqual([1, 2]);
    expect(write([1, 2], { ...aac, codec: "ac3" })).toEqual([1, 2]);
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
