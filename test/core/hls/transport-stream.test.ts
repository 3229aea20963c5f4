/** MPEG-TS as packagers write it, and as it arrives damaged: all of its samples, or a refusal. */
import { describe, expect, test } from "vitest";
import { Demuxer } from "../../../core/hls/demux.ts";
import { formatOf } from "../../../core/hls/formats.ts";
import { firstPieceOf, type PieceTrack } from "../../../core/hls/piece.ts";
import {
  goesOn,
  type Scan,
  scanPackets,
  startOfTs,
  type Tables,
  tablesOf,
} from "../../../core/hls/transport-stream.ts";
import { sample } from "../../support/hls/hls-server.ts";

type Packet = Uint8Array<ArrayBuffer>;

const [PICTURES, SOUND, MAP] = [0x100, 0x101, 0x1000];
const streamOf = (packet: Packet) => (((packet[1] ?? 0) & 0x1f) << 8) | (packet[2] ?? 0);
const isBeginning = (packet: Packet) => ((packet[1] ?? 0) & 0x40) !== 0;
/** Where what a packet holds begins, behind its adaptation. */
const contentIn = (packet: Packet) => (((packet[3] ?? 0) & 0x20) === 0 ? 4 : 5 + (packet[4] ?? 0));

const packets = () => {
  const piece = sample("ts-1.mpegts");
  return Array.from({ length: piece.length / 188 }, (_, at) => piece.slice(188 * at, 188 * at + 188));
};
const read = async (some: readonly Uint8Array[]) => {
  const bytes = new Uint8Array(Buffer.concat(some));
  return await new Demuxer().read({ bytes, init: undefined }, ["video", "audio"]);
};
const contentsOf = (tracks: readonly PieceTrack[]) =>
  tracks.map((track) =>
    track.packets.map(({ data, timestamp }) => [timestamp, Buffer.from(data).toString("hex")]),
  );

/** The packets of a stream in their order, each changed by its number. */
const changeEach = (stream: number, change: (packet: Packet, at: number) => Packet[]) => {
  let at = 0;
  return packets().flatMap((packet) => (streamOf(packet) === stream ? change(packet, at++) : [packet]));
};

/** The table of the program without its sound, which the last of its streams is. */
function withoutSound(map: Packet): Packet {
  const changed = map.slice();
  changed[7] = (changed[7] ?? 0) - 11;
  return changed;
}

/** Packets of which each that begins a unit holds so many bytes of it, and the next one the others. */
function withShortBeginnings(stream: number, size: number): Packet[] {
  let count = -1;
  return changeEach(stream, (packet) => {
    const begin = contentIn(packet);
    if (!isBeginning(packet) || begin + size > 187) return [packet];
    const rest = packet.slice();
    rest.set([(rest[1] ?? 0) & 0xbf, rest[2] ?? 0, 0x30], 1);
    rest.set([begin + size - 5, 0, ...new Uint8Array(begin + size - 6).fill(0xff)], 4);
    const short = packet.slice();
    short.set([0x30, 183 - size, 0, ...new Uint8Array(182 - size).fill(0xff)], 3);
    short.set(packet.subarray(begin, begin + size), 188 - size);
    return [short, rest];
  }).map((packet) => {
    if (streamOf(packet) === stream) packet[3] = ((packet[3] ?? 0) & 0x30) | (++count & 15);
    return packet;
  });
}

describe("all samples come of MPEG-TS", () => {
  test.each<[string, () => Packet[]]>([
    [
      "some packets of which come twice",
      () => packets().flatMap((each, at) => (at % 3 === 0 ? [each, each] : [each])),
    ],
    [
      "that counts no packets",
      () =>
        packets().map((packet) => {
          packet[3] = (packet[3] ?? 0) & 0xf0;
          return packet;
        }),
    ],
    [
      "where a table that doesn't apply yet comes first",
      () =>
        changeEach(MAP, (packet) => {
          const next = withoutSound(packet);
          next[10] = (next[10] ?? 0) & 0xfe;
          return [next, packet];
        }),
    ],
    [
      "that says where a count begins anew",
      () => {
        // An adaptation alone, which says so.
        const anew = new Uint8Array(188).fill(0xff);
        anew.set([0x47, PICTURES >> 8, PICTURES & 0xff, 0x20, 183, 0x80]);
        const further = (packet: Packet) => {
          packet[3] = ((packet[3] ?? 0) & 0xf0) | (((packet[3] ?? 0) + 5) & 0x0f);
          return packet;
        };
        return changeEach(PICTURES, (packet, at) =>
          at < 3 ? [packet] : [...(at === 3 ? [anew] : []), further(packet)],
        );
      },
    ],
    ...[2, 5, 8, 9, 13].flatMap((size): [string, () => Packet[]][] =>
      [PICTURES, SOUND].map((stream) => [
        `whose units of stream ${stream} begin with ${size} bytes in a packet`,
        () => withShortBeginnings(stream, size),
      ]),
    ),
    ["without a table of programs", () => packets().filter((packet) => streamOf(packet) !== 0)],
  ])("%s", async (_, change) => {
    expect(contentsOf(await read(change()))).toEqual(contentsOf(await read(packets())));
  });
});

test("MPEG-TS names the formats of its streams, also those that are read by nobody here, by registered numbers", () => {
  const formats = (...types: number[]) =>
    types.map((type) => formatOf({ number: 256, type, descriptors: [] }));
  const codecs = formats(0x1b, 0x24, 0x81, 0x82, 0x87, 0x8a).map((format) => format?.[2]);
  expect(codecs).toEqual(["avc", "hevc", "ac3", "dts", "eac3", "dts"]);
  expect(formats(0xd1, 0xd2, 0xd4).map((format) => format?.[1])).toEqual(["Dirac", "AVS2", "AVS3"]);
});

/** A program whose sound is in E-AC-3, two frames of which are heard together. */
function dependentSound(): Packet[] {
  const [association, map] = packets().slice(1, 3) as [Packet, Packet];
  map[map.lastIndexOf(0x0f, 40)] = 0x87;
  // 60 bytes each, of 48 kHz in two channels; the second one adds channels to the first.
  const frame = (type: number) => [0x0b, 0x77, type << 6, 29, 0x34, 0x80, ...new Uint8Array(54)];
  const frames = [...frame(0), ...frame(1)];
  const header = [0, 0, 1, 0xbd, 0, frames.length + 8, 0x80, 0x80, 5, 0x21, 0, 1, 0, 1];
  const filling = 184 - header.length - frames.length - 2;
  const adaptation = [filling + 1, 0, ...new Uint8Array(filling).fill(0xff)];
  const sound = Uint8Array.from([0x47, 0x41, 0x01, 0x30, ...adaptation, ...header, ...frames]);
  return [association, map, sound];
}

describe("MPEG-TS is refused", () => {
  test.each<[string, () => Uint8Array[], string]>([
    [
      "whose sound is named by a later table alone",
      () =>
        packets().flatMap((packet, at) => [
          streamOf(packet) === MAP ? withoutSound(packet) : packet,
          ...(at === 60 ? packets().slice(2, 3) : []),
        ]),
      "its format changes on the way",
    ],
    [
      "that lacks as many packets as its counters count to",
      () => changeEach(PICTURES, (packet, at) => (at > 40 && at <= 55 ? [] : [packet])),
      "packets of it are missing",
    ],
    [
      "with a unit that doesn't begin as one",
      () =>
        changeEach(PICTURES, (packet, at) => {
          if (isBeginning(packet) && at > 40) packet[contentIn(packet) + 2] = 7;
          return [packet];
        }),
      "packets of it are missing",
    ],
    [
      "that is encrypted from a packet on",
      () =>
        changeEach(PICTURES, (packet, at) => {
          if (at > 40) packet[3] = (packet[3] ?? 0) | 0xc0;
          return [packet];
        }),
      "it is protected",
    ],
    [
      "whose sound turns to stereo",
      () =>
        changeEach(SOUND, (packet, at) => {
          const header = contentIn(packet) + 14;
          if (isBeginning(packet) && at > 9) packet[header + 3] = ((packet[header + 3] ?? 0) & 0x3f) | 0x80;
          return [packet];
        }),
      "its format changes on the way",
    ],
    ["whose sound is in E-AC-3 of several substreams", dependentSound, "E-AC-3 of several substreams"],
    [
      "with bytes between its packets",
      () => packets().flatMap((packet) => [new Uint8Array(4), packet]),
      "can't be read",
    ],
  ])("%s", async (_, change, words) => {
    await expect(read(change())).rejects.toThrow(words);
  });
});

test("counters of MPEG-TS go on in the next piece, unless packets are missing or each piece has its own", () => {
  const [first, second] = [sample("ts-0.mpegts"), sample("ts-1.mpegts")];
  const tables = tablesOf(first) as Tables;
  const goesOnIn = (piece: Uint8Array, next: Uint8Array, beginning?: Scan) =>
    goesOn(scanPackets(piece), scanPackets(next), tables, beginning);
  expect(goesOnIn(first, second)).toBe(true);
  expect(goesOnIn(first.subarray(0, -5 * 188), second)).toBe(false);
  expect(goesOnIn(first, first)).toBeUndefined();
  const { scan } = firstPieceOf({ bytes: first, init: undefined });
  expect(goesOnIn(second, first)).toBe(false);
  expect(goesOnIn(second, first, scan)).toBeUndefined();
  expect(goesOnIn(first.subarray(0, -5 * 188), second, scan)).toBe(false);
  expect(goesOnIn(new Uint8Array(0), second)).toBeUndefined();
  // Sixteen packets of one stream, after which its counter is where it was.
  const packets = Array.from({ length: 32 }, (_, at) =>
    Uint8Array.of(0x47, 1, 0, 0x10 | (at & 15), ...new Uint8Array(184)),
  );
  const [half, rest] = [packets.slice(0, 16), packets.slice(16)].map((some) =>
    scanPackets(Buffer.concat(some)),
  );
  const streams = tables.streams.slice(0, 1).map((stream) => ({ ...stream, number: 0x100 }));
  expect(goesOn(half as Scan, rest as Scan, { ...tables, streams })).toBe(true);
});

test("a list of sizes in MP4 isn't taken for packets of MPEG-TS", () => {
  const piece = new Uint8Array(4096);
  for (const size of [200, 388, 576]) piece[size] = 0x47;
  expect(startOfTs(piece)).toBeUndefined();
});
