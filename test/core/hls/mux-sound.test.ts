/** Sound of its own: when it is heard beside the pictures, what else it may hold, and sound without a container. */
import { beforeEach, describe, expect, test } from "vitest";
import { inspectHls, openHls } from "../../../core/hls/mod.ts";
import { framesIn, packedCodecOf, timeOfTags } from "../../../core/hls/sound-frames.ts";
import { caught } from "../../support/caught.ts";
import { byTimeline, ENTRIES, mpd, period, timeline } from "../../support/hls/dash-manifest.ts";
import { bytesOf, expectOriginal, readOriginal, readTracks } from "../../support/hls/hls-original.ts";
import { mainPlaylistWithSound, mediaPlaylist, pieceLines, sample } from "../../support/hls/hls-server.ts";
import { timeTag } from "../../support/hls/time-tag.ts";
import { useHls } from "../../support/hls/use-hls.ts";

const hls = useHls();
const INIT = '#EXT-X-MAP:URI="init.mp4"';
const PIECES = pieceLines(["0.m4s", "1.m4s", "2.m4s"]);
const main = () => new URL("/main.m3u8", hls.origin);
const putMain = (video: string, audio: string) =>
  hls.files.set("/main.m3u8", mainPlaylistWithSound(video, audio));
const bytesAt = async (address = main()) => await bytesOf(await openHls(address));

/** Serves the pieces of a kind so many seconds later. */
function putLate(kind: "video" | "audio", seconds: number): void {
  const init = sample(`${kind}-init.mp4`);
  const header = Buffer.from(init).indexOf("mdhd") + 4;
  const timescale = Buffer.from(init).readUInt32BE(header + (init[header] === 1 ? 20 : 12));
  const ticks = Math.round(seconds * timescale);
  for (const number of [0, 1, 2]) {
    const piece = sample(`${kind}-${number}.m4s`);
    const [view, at] = [new DataView(piece.buffer), Buffer.from(piece).indexOf("tfdt") + 4];
    if (piece[at] === 1) view.setBigUint64(at + 4, view.getBigUint64(at + 4) + BigInt(ticks));
    else view.setUint32(at + 4, view.getUint32(at + 4) + ticks);
    hls.files.set(`/${kind}/${number}.m4s`, piece);
  }
}

/** The seconds by which pictures begin after their sound, in each of so many equal runs of a file. */
async function distances(runs = 1, address = main()): Promise<number[]> {
  const tracks = await readTracks(await bytesAt(address));
  const begins = (type: string, run: number) => {
    const packets = tracks.find((track) => track.type === type)?.packets ?? [];
    const part = packets.slice((run * packets.length) / runs, ((run + 1) * packets.length) / runs);
    return Math.min(...part.map(({ time }) => time));
  };
  return Array.from({ length: runs }, (_, run) => begins("video", run) - begins("audio", run));
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
  const CUT = "#EXT-X-DISCONTINUITY";
  test.each([
    ["do so in the file", 1, [INIT, ...PIECES]],
    ["do so where the first piece follows a discontinuity", 1, [INIT, CUT, ...PIECES]],
    ["do so after each discontinuity", 3, [INIT, ...PIECES, CUT, ...PIECES, CUT, ...PIECES]],
  ])("%s", async (_, runs, lines) => {
    const before = await usual();
    putLate(late, 0.8);
    for (const kind of ["video", "audio"]) hls.files.set(`/${kind}/index.m3u8`, mediaPlaylist(lines));
    for (const found of await distances(runs)) expect(found).toBeCloseTo(before + distance, 2);
  });
});

test.each([5, 0.5, 1000])(
  "pictures of DASH whose clock is ahead by %s s begin with their sound",
  async (offset) => {
    const before = await usual();
    putLate("video", offset);
    const clock = 1000 * offset;
    const ahead = timeline(ENTRIES.video.replace('"0"', `"${clock}"`), `presentationTimeOffset="${clock}"`);
    const both = period((kind) => (kind === "audio" ? byTimeline : ahead)(kind));
    for (const periods of [[both], [both, both]]) {
      hls.files.set("/launch/manifest.mpd", mpd(periods));
      const found = await distances(periods.length, new URL("/launch/manifest.mpd", hls.origin));
      for (const distance of found) expect(distance).toBeCloseTo(before, 2);
    }
  },
);

test.each([
  ["the playlist of the pictures", "/ts/index.m3u8"],
  ["the same playlist, named in another way", "../x/../ts/index.m3u8"],
  ["a playlist of the same pieces", "/ts/sound.m3u8"],
])("sound that is %s is taken from their pieces, each fetched once", async (_, address) => {
  hls.files.set("/ts/sound.m3u8", hls.files.get("/ts/index.m3u8") as string);
  putMain("ts/index.m3u8", address);
  const { qualities } = await inspectHls(main());
  expect(qualities).toMatchObject([{ problem: undefined }]);
  await expectOriginal(await bytesAt());
  expect(hls.requests.filter((path) => /\.(ts|m4s)$/.test(path))).toEqual([
    "/ts/0.ts",
    "/ts/1.ts",
    "/ts/2.ts",
  ]);
});

test.each([
  ["MPEG-TS", pieceLines(["0.ts", "1.ts", "2.ts"])],
  ["fMP4", [INIT, ...PIECES]],
])("of sound in %s that holds pictures as well, the sound alone is taken", async (_, lines) => {
  for (const number of [0, 1, 2]) {
    hls.files.set(`/sound/${number}.ts`, sample(`ts-${number}.mpegts`));
    hls.files.set(`/sound/${number}.m4s`, sample(`fmp4-${number}.m4s`));
  }
  hls.files.set("/sound/init.mp4", sample("fmp4-init.mp4"));
  hls.files.set("/sound/index.m3u8", mediaPlaylist(lines));
  putMain(lines.length > 6 ? "/fmp4/index.m3u8" : "/ts/index.m3u8", "/sound/index.m3u8");
  await expectOriginal(await bytesAt());
});

/** Seconds of a frame of the original. */
const FRAME = 1024 / 48_000;

/** A frame behind its header: AAC-LC of 48 kHz in one or two channels. */
function adtsFrame(data: Uint8Array, channels = 1): Uint8Array {
  const size = data.length + 7;
  const header = [0xff, 0xf1, (1 << 6) | (3 << 2), (channels << 6) | (size >> 11), (size >> 3) & 255];
  return Uint8Array.from([...header, ((size & 7) << 5) | 0x1f, 0xfc, ...data]);
}

const join = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

/** Seconds by which the pictures are later than in the samples, and at which their sound begins then. */
const LATER = 10;
const BEGIN = LATER + 0.045;

let frames: Uint8Array[];
beforeEach(async () => {
  const audio = (await readOriginal()).find(({ type }) => type === "audio");
  frames = (audio?.packets ?? []).map(({ data }) => adtsFrame(Buffer.from(data, "base64")));
});

/** Serves the sound of the original in packed pieces beside its pictures. */
function put(sizes: number[], tagOf = (frame: number) => timeTag(BEGIN + frame * FRAME)): void {
  let at = 0;
  const lines = sizes.flatMap((size, number) => {
    hls.files.set(`/packed/${number}.aac`, join(tagOf(at), ...frames.slice(at, at + size)));
    at += size;
    return [`#EXTINF:${(size * FRAME).toFixed(5)},`, `${number}.aac`];
  });
  hls.files.set("/packed/index.m3u8", mediaPlaylist(lines));
  putLate("video", LATER);
  putMain("/video/index.m3u8", "/packed/index.m3u8");
}

describe("sound that isn't in the first piece", () => {
  const SOUND = 0x101;
  /** Takes the sound out of a piece, whose tables still name it. */
  const silence = (number: number) => {
    const piece = sample(`ts-${number}.mpegts`);
    const packets = Array.from({ length: piece.length / 188 }, (_, at) =>
      piece.subarray(188 * at, 188 * at + 188),
    );
    const others = packets.filter(
      (bytes) => (new DataView(bytes.buffer, bytes.byteOffset).getUint16(1) & 0x1fff) !== SOUND,
    );
    hls.files.set(`/ts/${number}.ts`, Buffer.concat(others));
  };
  const bytes = () => bytesAt(new URL("/ts/index.m3u8", hls.origin));

  test("is taken where it begins in the second one", async () => {
    silence(0);
    const [whole, found] = [await readOriginal(), await readTracks(await bytes())];
    expect(found.map(({ type }) => type)).toEqual(["video", "audio"]);
    expect(found[0]?.packets).toHaveLength(whole[0]?.packets.length ?? 0);
    const count = found[1]?.packets.length ?? 0;
    expect(count).toBeGreaterThan(((whole[1]?.packets.length ?? 0) * 3) / 5);
    const distanceOf = ([pictures, sound]: typeof found) =>
      (sound?.packets.at(-count)?.time ?? 0) - (pictures?.packets[0]?.time ?? 0);
    expect(distanceOf(found)).toBeCloseTo(distanceOf(whole), 3);
    expect(hls.requests.filter((path) => path === "/ts/1.ts")).toHaveLength(1);
  });

  const open = () => openHls(new URL("/ts/index.m3u8", hls.origin));

  test("is told before anything is read where it begins later", async () => {
    for (const number of [0, 1]) silence(number);
    const error = await caught(open());
    expect(error).toMatchObject({ name: "InputError", code: "unsupported-video" });
    expect(error.message).toContain("its sound begins late");
  });

  test("is told when it comes where the last piece has none either", async () => {
    for (const number of [0, 1]) silence(number);
    const lines = [...pieceLines(["0.ts", "1.ts", "2.ts"]), "#EXT-X-DISCONTINUITY", ...pieceLines(["0.ts"])];
    hls.files.set("/ts/index.m3u8", mediaPlaylist(lines));
    expect((await caught(bytes())).message).toContain("piece 3 of 4: its sound begins late");
  });

  test("is none where no piece holds it, though all of them name it", async () => {
    for (const number of [0, 1, 2]) silence(number);
    expect((await readTracks(await bytes())).map(({ type }) => type)).toEqual(["video"]);
  });
});

test("sound in two languages of MPEG-TS stays apart where a piece lacks one", async () => {
  const [sound, other, map] = [0x101, 0x102, 0x1000];
  for (const number of [0, 1, 2]) {
    const piece = sample(`ts-${number}.mpegts`);
    const packets = Array.from({ length: piece.length / 188 }, (_, at) =>
      piece.slice(188 * at, 188 * at + 188),
    ).flatMap((packet) => {
      const stream = new DataView(packet.buffer).getUint16(1) & 0x1fff;
      if (stream === map) {
        // The other one is the last of the table, in the place of the checksum, which nobody reads.
        const end = 8 + (packet[7] ?? 0) - 4;
        packet.set([0x0f, 0xe1, 0x02, 0xf0, 0], end);
        packet[7] = (packet[7] ?? 0) + 5;
      }
      if (stream !== sound) return [packet];
      const second = packet.slice();
      second[2] = other & 0xff;
      return number === 1 ? [second] : [packet, second];
    });
    hls.files.set(`/ts/${number}.ts`, new Uint8Array(Buffer.concat(packets)));
  }
  const [, first, second] = await readTracks(await bytesAt(new URL("/ts/index.m3u8", hls.origin)));
  const whole = (await readOriginal())[1]?.packets.length ?? 0;
  expect(second?.packets).toHaveLength(whole);
  expect(first?.packets.length).toBeLessThan(whole);
});

test.each([
  ["the last one", 0.096, "4.m4s"],
  ["the last one for longer", 0.6, "4.m4s"],
  ["one before it", 0.096, "3.m4s"],
])(
  "a piece without sound is taken where it is the last one for a moment: %s",
  async (which, seconds, name) => {
    putMain("video/index.m3u8", "audio/index.m3u8");
    const list = String(hls.files.get("/audio/index.m3u8"));
    hls.files.set("/audio/index.m3u8", list.replace("3.m4s", `3.m4s\n#EXTINF:${seconds},\n4.m4s`));
    hls.files.set("/audio/4.m4s", sample("audio-3.m4s"));
    // A box before the samples alone, as packagers write a piece for what those before it are longer than told.
    hls.files.set(`/audio/${name}`, sample("audio-0.m4s").slice(0, 24));
    if (which === "the last one") await expectOriginal(await bytesAt());
    else expect((await caught(bytesAt())).message).toContain("nothing is in it");
  },
);

describe("packed sound arrives whole beside its pictures", () => {
  test.each([
    ["in pieces of two seconds", [94, 94, 95]],
    ["with a last piece of one frame", [94, 94, 94, 1]],
    ["with a first piece of one frame", [1, 93, 94, 95]],
  ])("%s", async (_, sizes) => {
    put(sizes);
    await expectOriginal(await bytesAt());
    // Without a time it begins with the pictures, and goes on without a gap.
    put(sizes, () => new Uint8Array(0));
    const tracks = await readTracks(await bytesAt());
    const packets = tracks.find(({ type }) => type === "audio")?.packets ?? [];
    const original = (await readOriginal()).find(({ type }) => type === "audio")?.packets;
    expect(packets.map(({ data }) => data)).toEqual(original?.map(({ data }) => data));
    for (const [at, { time }] of packets.entries()) expect(time).toBeCloseTo(at * FRAME, 4);
  });

  test("with tags and filling that aren't sound", async () => {
    put([94, 94, 95], (frame) => timeTag(BEGIN + frame * FRAME, "title"));
    const piece = hls.files.get("/packed/1.aac") as Uint8Array;
    hls.files.set("/packed/1.aac", join(piece, timeTag(9), new Uint8Array(50)));
    const last = hls.files.get("/packed/2.aac") as Uint8Array;
    hls.files.set("/packed/2.aac", join(last, new TextEncoder().encode("TAG".padEnd(128))));
    await expectOriginal(await bytesAt());
  });

  test("where its length isn't told and the first download breaks off in a frame", async () => {
    put([94, 94, 95]);
    hls.habits.set("/packed/1.aac", { endAfter: 1000, times: 1 });
    await expectOriginal(await bytesAt());
  });
});

test.each([0.8, -0.5])("packed sound is heard when its tags tell, %d s later than usual", async (late) => {
  const distance = async (seconds: number) => {
    put([94, 94, 95], (frame) => timeTag(BEGIN + seconds + frame * FRAME));
    return (await distances())[0] ?? 0;
  };
  expect((await distance(0)) - (await distance(late))).toBeCloseTo(late, 3);
});

test.each<[string, (piece: Uint8Array) => Uint8Array, string]>([
  ["ends within a frame", (piece) => piece.subarray(0, -3), "ends within a frame"],
  ["holds something else behind its frames", (piece) => join(piece, Buffer.from("noise")), "within a frame"],
  [
    "holds more frames than there is time for",
    () => join(...Array.from({ length: 100_001 }, () => adtsFrame(new Uint8Array(1)))),
    "over 100000 frames",
  ],
  ["changes on the way", (piece) => join(piece, adtsFrame(new Uint8Array(9), 2)), "format changes"],
  ["holds another format", () => Buffer.from([0x0b, 0x77, 0, 0, 0x10, 0x40]), "sound are missing"],
])("packed sound that can't be read is told where a piece %s", async (_, change, words) => {
  put([94, 94, 95]);
  hls.files.set("/packed/1.aac", change(hls.files.get("/packed/1.aac") as Uint8Array));
  expect(await caught(bytesAt())).toMatchObject({
    code: "source-unreadable",
    message: expect.stringContaining(words),
  });
});

test("what isn't packed AAC is no piece of it", () => {
  const frame = adtsFrame(new Uint8Array(20));
  const others = [[], [0x47], [0xff, 0xf1], [0xff, 0xfb, 0x90, 0], [0x49, 0x44, 0x33, 4, 0, 0, 127, 127]];
  for (const bytes of others) expect(packedCodecOf(Uint8Array.from(bytes))).not.toBe("aac");
  expect(packedCodecOf(frame)).toBe("aac");
  expect(framesIn(frame, "aac")).toMatchObject({ frames: [{ start: 0, end: 27 }], isWhole: true });
  // Of 64 bits, 33 count.
  const late = timeTag(0);
  late.set([0xff, 0xff, 0xff, 0xfe, 0, 1, 0x5f, 0x90], late.length - 8);
  expect(timeOfTags(late)).toBe(1);
  expect(timeOfTags(late.subarray(0, -1))).toBeUndefined();
  expect(timeOfTags(frame)).toBeUndefined();
});
