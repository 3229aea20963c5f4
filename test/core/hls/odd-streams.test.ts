/** Streams that every player plays, odd as they are: taken whole, or named before anything is sent. */
import { expect, test } from "vitest";
import { openHls } from "../../../core/hls/mod.ts";
import { caught } from "../../support/caught.ts";
import { manifest, template } from "../../support/hls/dash-manifest.ts";
import { bytesOf, expectOriginal, hashOf, readTracks } from "../../support/hls/hls-original.ts";
import { mediaPlaylist, pieceLines, sample } from "../../support/hls/hls-server.ts";
import { useHls } from "../../support/hls/use-hls.ts";

const hls = useHls();
const at = (path: string) => new URL(path, hls.origin);
const NUMBERS = [0, 1, 2];
const [MAP, PICTURES, SOUND] = [0x1000, 0x100, 0x101];

type Packet = Uint8Array<ArrayBuffer>;

const packetsOf = (piece: Uint8Array): Packet[] =>
  Array.from({ length: piece.length / 188 }, (_, number) => piece.slice(188 * number, 188 * number + 188));
const streamOf = (packet: Packet) => (((packet[1] ?? 0) & 0x1f) << 8) | (packet[2] ?? 0);
const isBeginning = (packet: Packet) => ((packet[1] ?? 0) & 0x40) !== 0;
const headerIn = (packet: Packet) => (((packet[3] ?? 0) & 0x20) === 0 ? 4 : 5 + (packet[4] ?? 0));

/** Serves the samples of MPEG-TS with other packets. */
function change(changed: (packets: Packet[], number: number) => Uint8Array[]): void {
  for (const number of NUMBERS)
    hls.files.set(
      `/ts/${number}.ts`,
      Buffer.concat(changed(packetsOf(sample(`ts-${number}.mpegts`)), number)),
    );
}

/** Adds ticks to the times of a unit. */
function delayed(packet: Packet, ticks: bigint): Packet {
  const moved = packet.slice();
  const header = headerIn(packet);
  const flags = (packet[header + 7] ?? 0) >> 6;
  for (const place of [header + 9, ...(flags === 3 ? [header + 14] : [])]) {
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = moved.subarray(place, place + 5);
    const known = (BigInt((a >> 1) & 7) << 30n) | BigInt((b << 22) | ((c >> 1) << 15) | (d << 7) | (e >> 1));
    const time = (known + ticks) % 2n ** 33n;
    const part = (shift: bigint, mask: bigint) => Number((time >> shift) & mask);
    moved.set(
      [
        (a & 0xf1) | (part(30n, 7n) << 1),
        part(22n, 255n),
        (part(15n, 127n) << 1) | 1,
        part(7n, 255n),
        (part(0n, 127n) << 1) | 1,
      ],
      place,
    );
  }
  return moved;
}

test.each<[string, () => void]>([
  [
    "with a picture of 70 bytes before its packets",
    () => change((packets) => [new Uint8Array(70).fill(0x47), ...packets]),
  ],
  ["with 112 bytes before its packets", () => change((packets) => [new Uint8Array(112).fill(7), ...packets])],
  ["with 50 bytes behind its packets", () => change((packets) => [...packets, new Uint8Array(50).fill(9)])],
  [
    "of two programs",
    () =>
      change(([first, association, ...packets]) => {
        const both = (association as Packet).slice();
        both[7] = (both[7] ?? 0) + 4;
        both.set([0, 2, 0xf0, 0x20], 17);
        return [first as Packet, both, ...packets];
      }),
  ],
  [
    "whose clock starts again among the pictures that a piece begins with",
    () => {
      // The first picture of the second piece is decoded before others that are shown before it.
      const ticks = 2n ** 33n - BigInt(Math.round(3.5 * 90_000));
      change((packets) =>
        packets.map((packet) =>
          isBeginning(packet) && [PICTURES, SOUND].includes(streamOf(packet))
            ? delayed(packet, ticks)
            : packet,
        ),
      );
    },
  ],
])("MPEG-TS %s is taken", async (_, put) => {
  put();
  await expectOriginal(await bytesOf(await openHls(at("/ts/index.m3u8"))));
});

test("MPEG-TS whose pictures don't all tell their time is named", async () => {
  change((packets) => {
    let unit = 0;
    return packets.map((packet) => {
      if (streamOf(packet) !== PICTURES || !isBeginning(packet) || ++unit % 3 > 0) return packet;
      const header = headerIn(packet);
      packet[header + 7] = 0;
      return packet;
    });
  });
  expect((await caught(openHls(at("/ts/index.m3u8")))).message).toContain(
    "don't tell when they are shown (PTS)",
  );
});

test.each<[string, number, (packet: Packet) => void, string]>([
  [
    "pictures in H.265",
    MAP,
    (packet) => packet.fill(0x24, packet.lastIndexOf(0x1b, 40), packet.lastIndexOf(0x1b, 40) + 1),
    "can't be read",
  ],
  [
    "sound of 44.1 kHz",
    SOUND,
    (packet) => {
      for (let place = 4; place < 184; place++)
        if (packet[place] === 0xff && packet[place + 1] === 0xf1)
          packet[place + 2] = ((packet[place + 2] ?? 0) & 0xc3) | (4 << 2);
    },
    "which one file can't hold",
  ],
])("an advertisement with %s is refused before anything is sent", async (_, stream, alter, words) => {
  const changed = packetsOf(sample("ts-1.mpegts"));
  for (const packet of changed) if (streamOf(packet) === stream) alter(packet);
  hls.files.set("/ts/1.ts", Buffer.concat(changed));
  const lines = [...pieceLines(["0.ts"]), "#EXT-X-DISCONTINUITY", ...pieceLines(["1.ts"])];
  hls.files.set("/ts/index.m3u8", mediaPlaylist(lines));
  const error = await caught(openHls(at("/ts/index.m3u8")));
  expect(error).toMatchObject({ name: "InputError", code: "unsupported-video" });
  expect(error.message).toContain(words);
});

test("an advertisement that can't be taken is refused beforehand behind fifty others too", async () => {
  const changed = packetsOf(sample("ts-1.mpegts"));
  for (const packet of changed) if (streamOf(packet) === MAP) packet[packet.lastIndexOf(0x1b, 40)] = 0x24;
  hls.files.set("/ts/other.ts", Buffer.concat(changed));
  const runs = Array.from({ length: 60 }, () => pieceLines(["0.ts", "1.ts", "2.ts", "0.ts"]));
  runs[57]?.splice(0, 2, ...pieceLines(["other.ts"]));
  hls.files.set("/ts/index.m3u8", mediaPlaylist(runs.flatMap((lines) => ["#EXT-X-DISCONTINUITY", ...lines])));
  const error = await caught(openHls(at("/ts/index.m3u8")));
  expect(error).toMatchObject({ name: "InputError", code: "unsupported-video" });
});

test("advertisements of fMP4 with a head of their own hold what their pictures are read with", async () => {
  const head = Buffer.from(sample("fmp4-init.mp4"));
  // Another level, and nothing else.
  head.writeUInt8(31, head.indexOf("avcC") + 7);
  hls.files.set("/fmp4/other.mp4", head);
  const maps = ['#EXT-X-MAP:URI="init.mp4"', '#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI="other.mp4"'] as const;
  hls.files.set(
    "/fmp4/index.m3u8",
    mediaPlaylist([maps[0], ...pieceLines(["0.m4s"]), maps[1], ...pieceLines(["1.m4s"])]),
  );
  const [pictures] = await readTracks(await bytesOf(await openHls(at("/fmp4/index.m3u8"))));
  const keys = pictures?.packets.filter(({ isKey }) => isKey) ?? [];
  const kinds = keys.map(({ data }) => (Buffer.from(data, "base64")[4] ?? 0) & 31);
  expect(kinds).toEqual(keys.map(() => 7));
});

test("a key that its address holds itself is taken", async () => {
  const list = String(hls.files.get("/aes/index.m3u8"));
  const key = Buffer.from(hls.files.get("/aes/one.key") as Uint8Array);
  const expected = await hashOf(await openHls(at("/aes/index.m3u8")));
  for (const data of [`;base64,${key.toString("base64")}`, `,${key.toString("hex").replace(/../g, "%$&")}`]) {
    hls.files.set("/aes/index.m3u8", list.replaceAll('"one.key"', `"data:application/octet-stream${data}"`));
    expect(await hashOf(await openHls(at("/aes/index.m3u8")))).toBe(expected);
  }
});

test.each<[string, (text: string) => Uint8Array]>([
  ["in UTF-16", (text) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")])],
  [
    "in UTF-16 from the other end",
    (text) => Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, "utf16le").swap16()]),
  ],
  [
    "whose elements have a prefix",
    (text) => Buffer.from(text.replace(/<(\/?)([A-Z])/g, "<$1mpd:$2").replace("xmlns=", "xmlns:mpd=")),
  ],
])("a manifest %s is read", async (_, written) => {
  const text = manifest(template('duration="2" timescale="1"'));
  hls.files.set("/launch/manifest.mpd", text);
  const expected = await hashOf(await openHls(at("/launch/manifest.mpd")));
  hls.files.set("/launch/manifest.mpd", Uint8Array.from(written(text)));
  expect(await hashOf(await openHls(at("/launch/manifest.mpd")))).toBe(expected);
});
