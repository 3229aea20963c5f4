import { describe, expect, test } from "vitest";
import type { MainPlaylist, MediaPlaylist } from "../../../core/hls/playlist.ts";
import { readPlaylist } from "../../../core/hls/read-playlist.ts";
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
