/** Pieces that aren't what belongs in their place: they are fetched again, and refused where they stay so. */
import { describe, expect, test } from "vitest";
import { isWholePicture } from "../../../core/hls/boxes.ts";
import { openHls } from "../../../core/hls/mod.ts";
import { caught } from "../../support/caught.ts";
import { hashOf } from "../../support/hls/hls-original.ts";
import { mediaPlaylist, pieceLines, sample } from "../../support/hls/hls-server.ts";
import { useHls } from "../../support/hls/use-hls.ts";

const hls = useHls();
const hashAt = async (path: string) => await hashOf(await openHls(new URL(path, hls.origin)));

/** The seconds that a video was told to lack. */
async function toldAt(path: string): Promise<number[]> {
  const told: number[] = [];
  const onLeftOut = ({ seconds }: { seconds: number }) => told.push(seconds);
  await hashOf(await openHls(new URL(path, hls.origin), { onLeftOut }));
  return told;
}

/** Puts something else in the place of a piece, for the first request or for all. */
function putWrong(path: string, wrong: Uint8Array, times = Number.POSITIVE_INFINITY): void {
  const right = hls.files.get(path) as Uint8Array;
  let left = times;
  hls.files.set(path, () => (left-- > 0 ? wrong : right));
}

test.each([1, 2])(
  "piece %i of fMP4 with zeros in place of pictures is fetched again, then refused",
  async (number) => {
    const path = `/fmp4/${number}.m4s`;
    const expected = await hashAt("/fmp4/index.m3u8");
    const zeros = sample(`fmp4-${number}.m4s`).fill(0, 11_000, 13_000);
    putWrong(path, zeros, 1);
    expect(await hashAt("/fmp4/index.m3u8")).toBe(expected);
    putWrong(path, zeros);
    const { message } = await caught(hashAt("/fmp4/index.m3u8"));
    expect(message).toContain(`piece ${number + 1} of 3: bytes of its pictures are missing`);
  },
);

test.each([
  ["a picture", 2_000, 2_400],
  ["a frame of sound", 17_890, 17_940],
])("a piece of fMP4 with zeros within %s is fetched again", async (_, from, to) => {
  const expected = await hashAt("/fmp4/index.m3u8");
  putWrong("/fmp4/1.m4s", sample("fmp4-1.m4s").fill(0, from, to), 1);
  expect(await hashAt("/fmp4/index.m3u8")).toBe(expected);
});

test("a last piece whose last pictures are missing, while its sound is there, is fetched again", async () => {
  const expected = await hashAt("/ts/index.m3u8");
  // Behind the last whole access unit of sound.
  putWrong("/ts/2.ts", sample("ts-2.mpegts").slice(0, 165 * 188), 1);
  expect(await hashAt("/ts/index.m3u8")).toBe(expected);
});

const [PICTURES, SOUND] = [0, 1];

/** A piece without 16 packets of streams behind so many of each: what the counters count up to. */
function withoutPackets(number: number, streams: readonly number[], from: number): Uint8Array {
  const piece = sample(`ts-${number}.mpegts`);
  const counts = [0, 0];
  const left: Uint8Array[] = [];
  for (let at = 0; at < piece.length; at += 188) {
    const [, high = 0, stream = 0] = piece.subarray(at, at + 3);
    const isOne = high % 32 === 1 && streams.includes(stream);
    if (isOne) counts[stream] = (counts[stream] ?? 0) + 1;
    const count = isOne ? (counts[stream] ?? 0) : 0;
    if (count <= from || count > from + 16) left.push(piece.subarray(at, at + 188));
  }
  return new Uint8Array(Buffer.concat(left));
}

describe.each([
  ["at its beginning", 1, [PICTURES, SOUND], 0, 0.875],
  ["within it", 1, [PICTURES], 30, 0.233],
  ["of its sound", 1, [SOUND], 7, 1.088],
])("a piece that lacks packets which no counter tells %s", (_, number, streams, from, seconds) => {
  const broken = withoutPackets(number, streams, from);

  test("is fetched again", async () => {
    const expected = await hashAt("/ts/index.m3u8");
    putWrong(`/ts/${number}.ts`, broken, 1);
    expect(await hashAt("/ts/index.m3u8")).toBe(expected);
  });

  test("is taken where they stay away, and told", async () => {
    putWrong(`/ts/${number}.ts`, broken);
    expect(await toldAt("/ts/index.m3u8")).toEqual([expect.closeTo(seconds)]);
  });
});

describe("a last piece that lacks its last picture, which is shown among others", () => {
  const piece = sample("ts-2.mpegts");
  const places = Array.from({ length: piece.length / 188 }, (_, packet) => 188 * packet);
  const isPicture = (at: number) => piece[at + 2] === PICTURES && (piece[at + 1] ?? 0) % 32 === 1;
  const last = places.filter(isPicture).slice(-2);

  test.each([
    ["a part of it", 1],
    ["all of it", 2],
  ])("is fetched again: %s", async (_, lost) => {
    const expected = await hashAt("/ts/index.m3u8");
    const left = places.filter((at) => !last.slice(-lost).includes(at));
    const broken = Buffer.concat(left.map((at) => piece.subarray(at, at + 188)));
    putWrong("/ts/2.ts", new Uint8Array(broken), 1);
    expect(await hashAt("/ts/index.m3u8")).toBe(expected);
  });

  test("and the sound behind it is taken where they stay away, and told", async () => {
    putWrong("/ts/2.ts", piece.slice(0, last.at(-1)));
    expect(await toldAt("/ts/index.m3u8")).toEqual([expect.closeTo(0.24)]);
  });
});

test("a piece that lacks pictures without any counter that tells is fetched again, and never for holes of its own", async () => {
  const expected = await hashAt("/ts/index.m3u8");
  const broken = withoutPackets(1, [PICTURES], 40);
  putWrong("/ts/1.ts", broken, 1);
  expect(await hashAt("/ts/index.m3u8")).toBe(expected);
  const lines = [
    ...pieceLines(["0.ts"]),
    ...["1.ts", "1.ts?2", "1.ts?3"].flatMap((name) => ["#EXT-X-DISCONTINUITY", ...pieceLines([name])]),
  ];
  hls.files.set("/ts/holes.m3u8", mediaPlaylist(lines));
  hls.files.set("/ts/1.ts", broken);
  hls.requests.length = 0;
  await hashAt("/ts/holes.m3u8");
  // Each run is looked at when it is opened.
  expect(hls.requests.filter((path) => path === "/ts/1.ts")).toHaveLength(2 * 3 + 1);
});

describe.each([
  ["MPEG-TS", "/ts", "ts", "ts-%.mpegts"],
  ["fMP4", "/fmp4", "m4s", "fmp4-%.m4s"],
])("in %s, another piece in the place of one", (_, folder, ending, name) => {
  test.each([
    ["the next one", 1, 2],
    ["the one before", 1, 0],
    ["the one before, at the end", 2, 1],
    ["the first one, at the end", 2, 0],
  ])("is fetched again, then refused: %s", async (_, number, other) => {
    const expected = await hashAt(`${folder}/index.m3u8`);
    const wrong = sample(name.replace("%", String(other)));
    putWrong(`${folder}/${number}.${ending}`, wrong, 1);
    expect(await hashAt(`${folder}/index.m3u8`)).toBe(expected);
    putWrong(`${folder}/${number}.${ending}`, wrong);
    const { message } = await caught(hashAt(`${folder}/index.m3u8`));
    expect(message).toContain(`piece ${number + 1} of 3: another piece is in its place`);
  });

  test.each([0, 1])(
    "is fetched again, then refused: piece %i with the next one behind it",
    async (number) => {
      const expected = await hashAt(`${folder}/index.m3u8`);
      const [own, next] = [number, number + 1].map((each) => sample(name.replace("%", String(each))));
      const path = `${folder}/${number}.${ending}`;
      const wrong = new Uint8Array(Buffer.concat([own ?? new Uint8Array(), next ?? new Uint8Array()]));
      putWrong(path, wrong, 1);
      expect(await hashAt(`${folder}/index.m3u8`)).toBe(expected);
      putWrong(path, wrong);
      const { message } = await caught(hashAt(`${folder}/index.m3u8`));
      expect(message).toContain("it holds the next piece as well");
    },
  );

  test.each([
    [0, 1, 2],
    [1, 2, 2],
    [0, 2, 2],
  ])("is refused where two are swapped: %i and %i", async (one, two, refused) => {
    const pathOf = (number: number) => `${folder}/${number}.${ending}`;
    putWrong(pathOf(one), sample(name.replace("%", String(two))));
    putWrong(pathOf(two), sample(name.replace("%", String(one))));
    const { message } = await caught(hashAt(`${folder}/index.m3u8`));
    expect(message).toContain(`piece ${refused} of 3: another piece is in its place`);
  });

  test.each([
    [1, "its server gave it for an earlier piece as well"],
    [2, "another piece is in its place"],
  ])("is refused once it shows: piece %i, in the place of the first", async (other, words) => {
    putWrong(`${folder}/0.${ending}`, sample(name.replace("%", String(other))));
    const { message } = await caught(hashAt(`${folder}/index.m3u8`));
    expect(message).toContain(`piece 2 of 3: ${words}`);
  });
});

test("a slate that begins the video is taken again at another address", async () => {
  const hashWith = async (again: string) => {
    const lines = [...pieceLines(["0.ts", again]), "#EXT-X-DISCONTINUITY", ...pieceLines(["1.ts"])];
    hls.files.set("/ts/index.m3u8", mediaPlaylist(lines));
    return await hashAt("/ts/index.m3u8");
  };
  expect(await hashWith("0.ts?again")).toBe(await hashWith("0.ts"));
});

test("a first piece that is another one when it is read again is refused", async () => {
  putWrong("/ts/0.ts", sample("ts-2.mpegts"), 1);
  const { message } = await caught(hashAt("/ts/index.m3u8"));
  expect(message).toContain("piece 1 of 3: it isn't the piece that was there when the video was opened");
});

test.each([
  [true, "one unit", [0, 0, 0, 2, 5, 6]],
  [true, "two units", [0, 0, 0, 1, 5, 0, 0, 0, 2, 6, 7]],
  [true, "a unit and zeros behind it", [0, 0, 0, 1, 5, 0, 0, 0, 0, 0]],
  [true, "lengths of two bytes", [0, 1, 5, 0, 2, 6, 7], 2],
  [false, "zeros alone", [0, 0, 0, 0, 0, 0]],
  [false, "zeros within it", [0, 0, 0, 1, 5, 0, 0, 0, 0, 6, 7]],
  [false, "a unit beyond its end", [0, 0, 0, 3, 5, 6]],
  [false, "less than a length at its end", [0, 0, 0, 1, 5, 1]],
])("isWholePicture() gives %s for %s", (isWhole, _, bytes, size = 4) => {
  expect(isWholePicture(Uint8Array.from(bytes), size)).toBe(isWhole);
});
