/** Writes MPEG-TS: tables, and packets of streams with any bytes in them. */
import { content } from "../content.ts";

export interface TsStream {
  number: number;
  /** Stream type, as ISO/IEC 13818-1 numbers them. */
  type: number;
}

export interface Pes {
  number: number;
  data: Uint8Array;
  /** Seconds; without it the packet tells none. */
  time?: number | undefined;
  isKey?: boolean;
  /** True for the end of a unit that began in the piece before. */
  isContinued?: boolean;
}

const MAP = 0x1000;

/** @param counters those of packets so far, which go on in the next piece that is given them */
export function tsPiece(
  streams: readonly TsStream[],
  units: readonly Pes[],
  counters: Map<number, number> = new Map(),
): Uint8Array<ArrayBuffer> {
  const program = [0, 1, 0xe0 | (MAP >> 8), MAP & 0xff];
  const listed = streams.flatMap(({ number, type }) => [type, 0xe0 | (number >> 8), number & 0xff, 0xf0, 0]);
  const first = streams[0]?.number ?? 0;
  return Uint8Array.from(
    Buffer.concat([
      ...packetsOf(0, tableOf(0, program), counters),
      ...packetsOf(MAP, tableOf(2, [0xe0 | (first >> 8), first & 0xff, 0xf0, 0, ...listed]), counters),
      ...units.flatMap((unit) =>
        packetsOf(unit.number, unit.isContinued ? unit.data : pesOf(unit), counters, unit),
      ),
    ]),
  );
}

function tableOf(id: number, content: readonly number[]): Buffer {
  const section = [id, 0xb0, content.length + 9, 0, 1, 0xc1, 0, 0, ...content, 0, 0, 0, 0];
  return Buffer.concat([Buffer.from([0, ...section]), Buffer.alloc(183 - section.length, 0xff)]);
}

const ticksOf = (seconds: number) => (BigInt(Math.round(seconds * 90_000)) + 2n ** 33n) % 2n ** 33n;

function pesOf({ data, time }: Pes): Buffer {
  const ticks = ticksOf(time ?? 0);
  const bits = (shift: bigint, mask: bigint) => Number((ticks >> shift) & mask);
  const stamp = [
    0x21 | (bits(30n, 7n) << 1),
    bits(22n, 255n),
    (bits(15n, 127n) << 1) | 1,
    bits(7n, 255n),
    (bits(0n, 127n) << 1) | 1,
  ];
  const header = time === undefined ? [0x80, 0, 0] : [0x80, 0x80, 5, ...stamp];
  const length = header.length + data.length;
  const size = length > 0xffff ? [0, 0] : [length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([0, 0, 1, 0xe0, ...size, ...header]), data]);
}

function packetsOf(
  number: number,
  content: Uint8Array,
  counters: Map<number, number>,
  { isKey = false, isContinued = false }: Pick<Pes, "isKey" | "isContinued"> = {},
): Buffer[] {
  const packets: Buffer[] = [];
  for (let at = 0; at < content.length; ) {
    const isFirst = at === 0 && !isContinued;
    const marked = isFirst && isKey ? [1, 0x40] : [];
    const room = 184 - marked.length;
    const size = Math.min(room, content.length - at);
    const filling = room - size;
    const adaptation = filling === 0 ? marked : filled(filling, marked);
    const count = ((counters.get(number) ?? -1) + 1) & 15;
    counters.set(number, count);
    const flags = (adaptation.length > 0 ? 0x30 : 0x10) | count;
    const header = [0x47, (isFirst ? 0x40 : 0) | (number >> 8), number & 0xff, flags, ...adaptation];
    packets.push(Buffer.concat([Buffer.from(header), content.subarray(at, at + size)]));
    at += size;
  }
  return packets;
}

/** An adaptation that fills a packet. */
function filled(size: number, marked: readonly number[]): number[] {
  if (marked.length > 0) return [1 + size, 0x40, ...Array<number>(size).fill(0xff)];
  return size === 1 ? [0] : [size - 1, 0, ...Array<number>(size - 2).fill(0xff)];
}

export type FrameOf = (at: number) => Uint8Array;

const framed = (size: number, header: readonly number[], at: number) => {
  const bytes = content(size, at + 1);
  bytes.set(header);
  return bytes;
};

/** Frames of sound of 48 kHz, each with other bytes behind its header; and the stream type of each. */
export const FRAMES: Record<string, { type: number; samples: number; left: number; frame: FrameOf }> = {
  aac: {
    type: 0x0f,
    samples: 1024,
    left: 7,
    frame(at) {
      const size = 180 + (at % 7) * 30;
      return framed(
        size,
        [0xff, 0xf1, 0x4c, 0x40 | (size >> 11), (size >> 3) & 255, ((size & 7) << 5) | 0x1f, 0xfc],
        at,
      );
    },
  },
  ac3: {
    type: 0x81,
    samples: 1536,
    left: 0,
    frame: (at) => framed(384, [0x0b, 0x77, 0, 0, 0x0c, 0x40, 0x40], at),
  },
  eac3: {
    type: 0x87,
    samples: 1536,
    left: 0,
    frame: (at) => framed(400, [0x0b, 0x77, 0, 199, 0x34, 0x80], at),
  },
  mp3: { type: 0x03, samples: 1152, left: 0, frame: (at) => framed(384, [0xff, 0xfb, 0x94, 0xc4], at) },
  mp2: { type: 0x03, samples: 1152, left: 0, frame: (at) => framed(576, [0xff, 0xfd, 0xa4, 0xc4], at) },
};
