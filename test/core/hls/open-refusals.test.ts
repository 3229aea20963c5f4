/** What can't be taken is told before an asset is made, and nothing foreign is believed. */
import { describe, expect, test } from "vitest";
import { fetchBytes } from "../../../core/hls/fetch-bytes.ts";
import { type HlsOptions, inspectHls, openHls } from "../../../core/hls/mod.ts";
import { fetchingOf } from "../../../core/hls/options.ts";
import { readPlaylist } from "../../../core/hls/read-playlist.ts";
import { TS_PACKET, tablesOf } from "../../../core/hls/transport-stream.ts";
import { caught } from "../../support/caught.ts";
import {
  mediaPlaylist,
  pieceLines,
  sample,
  serveSamples,
  startHlsServer,
} from "../../support/hls/hls-server.ts";
import { useHls } from "../../support/hls/use-hls.ts";
import { expectLinear } from "../../support/linear-time.ts";
import { MARKER } from "../../support/marker.ts";

const hls = useHls();

/** Opens a video whose address bears a secret, as signed ones do. */
const refusal = (path: string, options: HlsOptions = {}) =>
  caught(openHls(new URL(`${path}?signature=${MARKER}`, hls.origin), options));
const put = (lines: readonly string[], options = {}) => {
  hls.files.set("/ts/bad.m3u8", mediaPlaylist(lines, options));
  return refusal("/ts/bad.m3u8");
};
const good = pieceLines(["0.ts", "1.ts", "2.ts"]);

/** Where the packet of the program map begins in the samples of MPEG-TS. */
const PROGRAM_MAP_AT = 2 * 188;

/** The packet of the program map, with pictures and sound of other types. */
function programMap(pictures: number, sound: number, registered: string): Uint8Array {
  const language = [10, 4, ...Buffer.from("eng\0")];
  const descriptor = registered === "" ? [] : [...language, 5, registered.length, ...Buffer.from(registered)];
  const streams = [pictures, 0xe1, 0x00, 0xf0, 0, sound, 0xe1, 0x01, 0xf0, descriptor.length, ...descriptor];
  const rest = [0x00, 0x01, 0xc1, 0, 0, 0xe1, 0x00, 0xf0, 0, ...streams, 0, 0, 0, 0];
  const packet = [0x47, 0x50, 0x00, 0x10, 0, 0x02, 0xb0, rest.length, ...rest];
  return Uint8Array.from({ length: 188 }, (_, at) => packet[at] ?? 0xff);
}

/** The head of the fragments, with another format in place of one. */
function headWith(format: string, other: string): Buffer {
  const head = Buffer.from(sample("fmp4-init.mp4"));
  head.write(other, head.indexOf(format, head.indexOf("stsd")));
  return head;
}

/** The same with a second description of the pictures, in another format. */
function withTwoDescriptions(): Buffer {
  const head = headWith("avc1", "avc1");
  const list = head.indexOf("stsd");
  const start = list + 12;
  const size = head.readUInt32BE(start);
  for (const parent of ["moov", "trak", "mdia", "minf", "stbl", "stsd"]) {
    const at = head.lastIndexOf(parent, list) - 4;
    head.writeUInt32BE(head.readUInt32BE(at) + size, at);
  }
  head.writeUInt32BE(2, list + 8);
  const second = Buffer.from(head.subarray(start, start + size));
  second.write("hvc1", 4);
  return Buffer.concat([head.subarray(0, start + size), second, head.subarray(start + size)]);
}

describe("a video that can't be taken says why", () => {
  test("a live stream, with what to do", async () => {
    const error = await put(good, { ended: false });
    expect(error).toMatchObject({ name: "InputError", code: "live-stream" });
    expect(error.message).toContain("live");
    expect(hls.requests).toEqual(["/ts/bad.m3u8"]);
  });

  test.each([
    ['METHOD=SAMPLE-AES,URI="skd://x",KEYFORMAT="com.apple.streamingkeydelivery"', "FairPlay"],
    [
      'METHOD=SAMPLE-AES-CTR,URI="data:,x",KEYFORMAT="urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed"',
      "Widevine",
    ],
    ['METHOD=AES-128,URI="key",KEYFORMAT="com.microsoft.playready"', "PlayReady"],
    ['METHOD=SAMPLE-AES,URI="key"', "SAMPLE-AES"],
    [`METHOD=${"X".repeat(1000)}`, "unknown method"],
  ])("a video protected by %s", async (attributes, words) => {
    const error = await put([`#EXT-X-KEY:${attributes}`, ...good]);
    expect(error).toMatchObject({ name: "InputError", code: "protected-video" });
    expect(error.message).toContain(words);
    expect(hls.requests).toEqual(["/ts/bad.m3u8"]);
  });

  test("one whose samples say themselves that they are encrypted", async () => {
    const init = sample("fmp4-init.mp4");
    const at = Buffer.from(init).indexOf("avc1", Buffer.from(init).indexOf("stsd"));
    init.set(new TextEncoder().encode("encv"), at);
    hls.files.set("/fmp4/init.mp4", init);
    expect(await refusal("/fmp4/index.m3u8")).toMatchObject({ code: "protected-video" });
  });

  test.each([
    ["sound is in AAC with LATM", 0x1b, 0x11, ""],
    ["sound is in Opus", 0x1b, 0x06, "Opus"],
    ["sound is in AC-4", 0x1b, 0x06, "AC-4"],
    ["pictures are in MPEG-2", 0x02, 0x0f, ""],
  ])("MPEG-TS whose %s", async (words, pictures, sound, registered) => {
    for (const at of [0, 1, 2]) {
      const piece = sample(`ts-${at}.mpegts`);
      piece.set(programMap(pictures, sound, registered), PROGRAM_MAP_AT);
      hls.files.set(`/ts/${at}.ts`, piece);
    }
    const error = await put(good);
    expect(error).toMatchObject({ name: "InputError", code: "unsupported-video" });
    expect(error.message).toContain(`its ${words}, which isn't read from MPEG-TS (its first piece)`);
  });

  test("MPEG-TS whose table says ADTS, and that holds LATM", async () => {
    const piece = sample("ts-0.mpegts");
    const sound = tablesOf(piece)?.streams.find(({ type }) => type === 0x0f)?.number ?? 0;
    for (let at = 0; at < piece.length; at += TS_PACKET) {
      const isUnit = new DataView(piece.buffer, piece.byteOffset + at).getUint16(1) === (0x4000 | sound);
      const hasMore = ((piece[at + 3] ?? 0) & 0x20) !== 0;
      const header = at + 4 + (hasMore ? 1 + (piece[at + 4] ?? 0) : 0);
      if (isUnit) piece.set([0x56, 0xe1], header + 9 + (piece[header + 8] ?? 0));
    }
    hls.files.set("/ts/0.ts", piece);
    expect((await put(good)).message).toContain(
      "its sound is in AAC with LATM, which isn't read from MPEG-TS",
    );
  });

  describe.each([
    ["beside its pieces", true],
    ["in each of them", false],
  ])("fMP4 whose head is %s", (_, isApart) => {
    const refusalOf = async (head: Uint8Array) => {
      hls.files.set("/fmp4/other.mp4", head);
      hls.files.set("/fmp4/own.m4s", Buffer.concat([head, sample("fmp4-0.m4s")]));
      const map = isApart ? ['#EXT-X-MAP:URI="other.mp4"'] : [];
      hls.files.set(
        "/fmp4/one.m3u8",
        mediaPlaylist([...map, ...pieceLines([isApart ? "0.m4s" : "own.m4s"])]),
      );
      return await refusal("/fmp4/one.m3u8");
    };

    test.each([
      ["sound is in AC-4", "mp4a", "ac-4"],
      ["sound is in MPEG-H", "mp4a", "mha1"],
      ["sound is in dtsc", "mp4a", "dtsc"],
      ["sound is in an unknown format", "mp4a", "\n<b>"],
      ["pictures are in MPEG-4 Visual", "avc1", "mp4v"],
      ["pictures are in VVC", "avc1", "vvc1"],
    ])("and names that its %s", async (words, format, other) => {
      const error = await refusalOf(headWith(format, other));
      expect(error).toMatchObject({ name: "InputError", code: "unsupported-video" });
      expect(error.message).toContain(`its ${words}, which isn't read from MP4 (its first piece)`);
    });

    test("and describes its pictures in two ways", async () => {
      expect((await refusalOf(withTwoDescriptions())).message).toContain("its pictures are in 2 formats");
    });

    test("and names DTS in a place of AAC", async () => {
      const head = headWith("mp4a", "mp4a");
      // The object type, behind the tags of two descriptors and their lengths of four bytes.
      head[head.indexOf("esds") + 21] = 0xa9;
      expect(await refusalOf(head)).toMatchObject({ name: "InputError", code: "unsupported-video" });
    });

    test("and says that its sound is encrypted", async () => {
      expect(await refusalOf(headWith("mp4a", "enca"))).toMatchObject({ code: "protected-video" });
    });
  });

  test("fMP4 whose sound is in another format from a later piece on", async () => {
    hls.files.set("/fmp4/later.mp4", headWith("mp4a", "ac-4"));
    const map = (name: string) => `#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI="${name}.mp4"`;
    const lines = [map("init"), ...pieceLines(["0.m4s"]), map("later"), ...pieceLines(["1.m4s"])];
    hls.files.set("/fmp4/later.m3u8", mediaPlaylist(lines));
    expect((await refusal("/fmp4/later.m3u8")).message).toContain(
      "its sound is in AC-4, which isn't read from MP4 (piece 2)",
    );
  });

  test("a protected piece with another key that everybody may use is taken", async () => {
    hls.files.set(
      "/aes/both.m3u8",
      (hls.files.get("/aes/index.m3u8") as string).replace(
        '#EXT-X-KEY:METHOD=AES-128,URI="one.key"',
        '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://x",KEYFORMAT="com.apple.streamingkeydelivery"\n#EXT-X-KEY:METHOD=AES-128,URI="one.key"',
      ),
    );
    await (await openHls(new URL("/aes/both.m3u8", hls.origin))).close();
  });

  test.each([
    ["sound alone", "/audio/index.m3u8", "no pictures"],
    ["a text", "/text.m3u8", "doesn't begin as a playlist"],
    ["nothing", "/empty.m3u8", "is empty"],
    ["a playlist without pieces", "/hollow.m3u8", "no pieces"],
    ["a piece that is none", "/noise.m3u8", "can't be read"],
    ["a missing piece", "/gap.m3u8", "marked as missing"],
  ])("%s", async (_, path, words) => {
    hls.files.set("/text.m3u8", "hello");
    hls.files.set("/empty.m3u8", "");
    hls.files.set("/hollow.m3u8", mediaPlaylist([]));
    hls.files.set("/noise", new Uint8Array(5000).fill(3));
    hls.files.set("/noise.m3u8", mediaPlaylist(pieceLines(["noise"])));
    hls.files.set("/gap.m3u8", mediaPlaylist(["#EXT-X-GAP", ...good]));
    const error = await refusal(path);
    expect(error).toMatchObject({ name: "InputError", code: "unsupported-video" });
    expect(error.message).toContain(words);
  });

  test.each([
    ["a playlist", 401, "/ts/index.m3u8", "/ts/index.m3u8"],
    ["a piece", 403, "/ts/0.ts", "/ts/index.m3u8"],
    ["a key", 404, "/aes/one.key", "/aes/index.m3u8"],
    ["an init", 410, "/fmp4/init.mp4", "/fmp4/index.m3u8"],
  ])("%s that answers %i", async (_, status, missing, path) => {
    hls.habits.set(missing, { status, times: 1 });
    const error = await refusal(path);
    expect(error).toMatchObject({ name: "UploadError", code: "source-refused", httpStatus: status });
    expect(error.message).toContain("take the new address");
  });

  test("one whose format changes on the way, or that is protected from there on, where that is announced", async () => {
    const other = (change: (init: Buffer) => void) => {
      const init = Buffer.from(sample("fmp4-init.mp4"));
      change(init);
      hls.files.set("/fmp4/other.mp4", new Uint8Array(init));
    };
    const pieces = pieceLines(["0.m4s", "1.m4s", "2.m4s"]);
    const maps = ['#EXT-X-MAP:URI="init.mp4"', '#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI="other.mp4"'] as const;
    hls.files.set("/fmp4/index.m3u8", mediaPlaylist([maps[0], ...pieces, maps[1], ...pieces]));
    other((init) => init.writeUInt8(0xfd, init.indexOf("avcC") + 8));
    const error = await refusal("/fmp4/index.m3u8");
    expect(error).toMatchObject({ name: "InputError", code: "unsupported-video" });
    expect(error.message).toContain("changes");
    other((init) => init.write("encv", init.indexOf("avc1", init.indexOf("stsd"))));
    expect(await refusal("/fmp4/index.m3u8")).toMatchObject({ code: "protected-video" });
    other(() => {});
    await (await openHls(new URL("/fmp4/index.m3u8", hls.origin))).close();
  });

  test("a key that doesn't fit, or is none", async () => {
    hls.files.set("/aes/one.key", new Uint8Array(16).fill(1));
    expect((await refusal("/aes/index.m3u8")).message).toContain("doesn't fit");
    hls.files.set("/aes/one.key", new Uint8Array(17));
    expect((await refusal("/aes/index.m3u8")).message).toContain("17 bytes");
  });

  test("wrong options and addresses, before any request", async () => {
    const open = (url: unknown, options: unknown = {}) => caught(openHls(url as URL, options as HlsOptions));
    expect(await open("https://video.example/main.m3u8")).toMatchObject({ code: "invalid-source" });
    expect(await open(new URL("file:///main.m3u8"))).toMatchObject({ code: "invalid-source" });
    expect(await open(new URL(`https://me:${MARKER}@video.example/`))).toMatchObject({
      code: "invalid-source",
    });
    expect(await open(new URL(hls.origin), { qualty: "x" })).toMatchObject({ code: "invalid-option" });
    expect(await open(new URL(hls.origin), { live: 1 })).toMatchObject({ code: "invalid-option" });
    expect(await caught(inspectHls(new URL(hls.origin), { live: true } as object))).toMatchObject({
      code: "invalid-option",
    });
    expect(hls.requests).toEqual([]);
  });
});

describe("a hostile server gets nowhere", () => {
  test.each([
    ["of another scheme", "file:///etc/passwd", "file:"],
    ["of another scheme in capitals", "JAVASCRIPT:alert(1)", "javascript:"],
    ["within data", "data:video/mp2t;base64,AAAA", "data:"],
    ["with a password", `http://me:${MARKER}@video.example/0.ts`, "password"],
    ["that is none", "http://[", "invalid address"],
  ])("a piece at an address %s", async (_, address, words) => {
    for (const lines of [
      pieceLines([address]),
      [`#EXT-X-MAP:URI="${address}"`, ...good],
      // A key may be in its address.
      ...(address.startsWith("data:") ? [] : [[`#EXT-X-KEY:METHOD=AES-128,URI="${address}"`, ...good]]),
    ]) {
      const error = await put(lines);
      expect(error).toMatchObject({ name: "InputError", code: "unsupported-video" });
      expect(error.message).toContain(words);
    }
    expect(new Set(hls.requests)).toEqual(new Set(["/ts/bad.m3u8"]));
  });

  test("a playlist that names itself, or another main playlist", async () => {
    const loop = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=2x2\nloop.m3u8\n";
    hls.files.set("/loop.m3u8", loop);
    expect(await refusal("/loop.m3u8")).toMatchObject({ code: "unsupported-video" });
    expect(hls.requests).toEqual(["/loop.m3u8", "/loop.m3u8"]);
  });

  test("a playlist of 100,000 pieces, of 10,000 qualities, or without end", async () => {
    const many = mediaPlaylist(pieceLines(Array.from({ length: 100_000 }, (_, at) => `${at}.ts`)));
    hls.files.set("/many.m3u8", many);
    expect((await refusal("/many.m3u8")).message).toContain("over 50000 pieces");
    const quality = (at: number) => `#EXT-X-STREAM-INF:BANDWIDTH=${at + 1}\n${at}.m3u8\n`;
    hls.files.set(
      "/wide.m3u8",
      `#EXTM3U\n${Array.from({ length: 10_000 }, (_, at) => quality(at)).join("")}`,
    );
    expect((await refusal("/wide.m3u8")).message).toContain("over 200 qualities");
    hls.files.set("/endless.m3u8", new Uint8Array(17 * 1024 * 1024).fill(35));
    expect(await refusal("/endless.m3u8")).toMatchObject({ code: "source-unreadable" });
    hls.habits.set("/endless.m3u8", { endAfter: 17 * 1024 * 1024 });
    expect(await refusal("/endless.m3u8")).toMatchObject({ code: "source-unreadable" });
  });

  test("variables that double with each, or that all pieces repeat, and an address as long for each piece", async () => {
    const doubling = Array.from(
      { length: 40 },
      (_, at) => `#EXT-X-DEFINE:NAME="v${at + 1}",VALUE="{$v${at}}{$v${at}}"`,
    );
    const defined = (value: string) => `#EXT-X-DEFINE:NAME="v0",VALUE="${value}"`;
    expect((await put([defined("0123456789"), ...doubling, ...good])).message).toContain(
      "over 16384 characters",
    );
    const repeating = Array.from({ length: 20_000 }, (_, at) => `{$v0}/${at}.ts`);
    expect(await put([defined("x".repeat(15_000)), ...pieceLines(repeating)])).toMatchObject({
      code: "unsupported-video",
      message: expect.stringContaining("addresses that are too long"),
    });
    const pieces = pieceLines(Array.from({ length: 20_000 }, (_, at) => `${at}.ts`));
    const read = () =>
      readPlaylist(mediaPlaylist(pieces), new URL(`https://video.example/${"x".repeat(15_000)}/`));
    expect(read).toThrow("addresses that are too long");
  });

  test.each<[string, (size: number) => string]>([
    ["attributes", (size) => `#EXT-X-KEY:${"a=".repeat(size)}`],
    ["a text without an end", (size) => `#EXT-X-KEY:METHOD="${"A=,".repeat(size)}`],
    ["quotes", (size) => `#EXT-X-KEY:METHOD=${'"'.repeat(size)}`],
    ["commas", (size) => `#EXT-X-KEY:${",".repeat(size)}`],
    ["blanks before a name", (size) => `#EXT-X-KEY:${" ".repeat(size)}x${" ".repeat(size)}`],
    ["capitals", (size) => `#EXT-X-KEY:${"A".repeat(size)}`],
    ["a length", (size) => `#EXTINF:${"1".repeat(size)},`],
    ["decimals", (size) => `#EXTINF:1.${"9".repeat(size)},`],
    ["a number", (size) => `#EXT-X-MEDIA-SEQUENCE:${"9".repeat(size)}`],
    ["a range", (size) => `#EXT-X-MAP:URI="x",BYTERANGE="${"9".repeat(size)}"`],
    ["variables", (size) => `#EXT-X-DEFINE:NAME="x",VALUE="y"\n${"{$".repeat(size)}`],
    ["blanks", (size) => `#EXTINF:${" ".repeat(size)}x,`],
  ])("reading a long text of %s takes no longer than the text is long", (_, line) => {
    expectLinear((size) => {
      try {
        readPlaylist(mediaPlaylist([line(size), ...good]), new URL("https://video.example/"));
      } catch {}
    });
  });

  test("a piece larger than any", async () => {
    hls.habits.set("/ts/0.ts", { headers: { "content-length": String(65 * 1024 * 1024) }, silentAfter: 100 });
    expect((await refusal("/ts/index.m3u8")).message).toContain("bytes");
  });

  test.each([
    ["that end before they begin", 5, 3],
    ["of nothing", 5, 5],
    ["that begin below zero", -3, 5],
    ["that are no numbers", Number.NaN, 5],
    ["beyond any file", 5, 2 ** 60],
  ])("ranges %s are refused before any request", async (_, start, end) => {
    const url = new URL(`/ts/0.ts?signature=${MARKER}`, hls.origin);
    const how = fetchingOf(url, {}, new AbortController().signal);
    const error = await caught(fetchBytes({ url, range: { start, end }, most: 100 }, how));
    expect(error).toMatchObject({ name: "UploadError", code: "source-unreadable" });
    expect(error.message).toContain(`from ${start} up to ${end}`);
    expect(hls.requests).toEqual([]);
  });

  test("what a playlist that was moved names is where it was moved to", async () => {
    hls.habits.set("/old/index.m3u8", { status: 302, headers: { location: "/ts/index.m3u8" } });
    await (await openHls(new URL("/old/index.m3u8", hls.origin))).close();
    expect(hls.requests).toEqual(["/old/index.m3u8", "/ts/index.m3u8", "/ts/0.ts"]);
    hls.habits.set("/old/index.m3u8", { status: 302, headers: { location: "file:///etc/passwd" } });
    const opening = openHls(new URL("/old/index.m3u8", hls.origin), { headers: { "X-Key": "x" } });
    expect(await caught(opening)).toMatchObject({ code: "source-unreadable" });
  });

  test("headers are sent to the playlist's own origin alone", async () => {
    const other = await startHlsServer();
    try {
      serveSamples(other);
      hls.files.set("/ts/else.m3u8", mediaPlaylist(pieceLines([`${other.origin}/ts/0.ts`])));
      const headers = { "X-Key": MARKER };
      await (await openHls(new URL("/ts/else.m3u8", hls.origin), { headers })).close();
      expect(hls.headers.map((each) => each["x-key"])).toEqual([MARKER]);
      expect(other.requests).toEqual(["/ts/0.ts"]);
      expect(JSON.stringify(other.headers)).not.toContain(MARKER);
    } finally {
      await other.close();
    }
  });

  test("an abort ends the opening within a moment, whatever hangs", async () => {
    for (const path of ["/ts/index.m3u8", "/ts/0.ts"]) {
      hls.habits.set(path, { silentAfter: 100, times: 1 });
      const stopper = new AbortController();
      const opening = caught(openHls(new URL("/ts/index.m3u8", hls.origin), { signal: stopper.signal }));
      await expect.poll(() => hls.requests.at(-1)).toBe(path);
      const reason = new Error("enough");
      stopper.abort(reason);
      expect(await opening).toBe(reason);
      await expect.poll(() => hls.running).toBe(0);
    }
  });
});
