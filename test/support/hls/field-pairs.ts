/** Writes H.264 whose pictures are two fields each (PAFF), shown in another order than decoded; no encoder at hand does. */
import { content } from "../content.ts";

/** Bits from the first of a byte on, in bytes that end with a one and zeros. */
class BitWriter {
  #bits = "";

  put(value: number, count: number): this {
    this.#bits += value.toString(2).padStart(count, "0");
    return this;
  }

  /** Exp-Golomb. */
  number(...values: number[]): this {
    for (const value of values) {
      const bits = (value + 1).toString(2);
      this.#bits += bits.padStart(2 * bits.length - 1, "0");
    }
    return this;
  }

  bytes(data: Uint8Array): this {
    this.#bits += "0".repeat(-this.#bits.length & 7);
    for (const byte of data) this.put(byte, 8);
    return this;
  }

  /** A unit of its bits, with a three behind two zeros where a mark would be. */
  unit(header: number): Buffer {
    const all = `${this.#bits}1`;
    const bytes = all.padEnd(Math.ceil(all.length / 8) * 8, "0").match(/.{8}/g) ?? [];
    const unit = [header];
    let zeros = 0;
    for (const byte of bytes.map((bits) => Number.parseInt(bits, 2))) {
      if (zeros > 1 && byte < 4) unit.push(3);
      zeros = byte < 4 && zeros > 1 ? Number(byte === 0) : byte === 0 ? zeros + 1 : 0;
      unit.push(byte);
    }
    return Buffer.from([0, 0, 1, ...unit]);
  }
}

/** Blocks of 16 × 16 in a row, and rows of them in a field. */
const [COLUMNS, ROWS] = [4, 2];
/** What a slice is, by its number; and the first number of a block of plain samples in it. */
const SLICES = { I: [7, 25], P: [5, 30], B: [6, 48] } as const;
const ORDER_BITS = 8;

/** Parameters of a sequence and of its pictures, whose numbers have so many bits. */
function parameters(numberBits: number): Buffer {
  const sequence = new BitWriter()
    .put(77, 8)
    .put(0, 8)
    .put(30, 8)
    .number(0, numberBits - 4);
  sequence
    .number(0, ORDER_BITS - 4, 2)
    .put(0, 1)
    .number(COLUMNS - 1, ROWS - 1);
  const pictures = new BitWriter().number(0, 0).put(0, 2).number(0, 0, 0).put(0, 3).number(0, 0, 0).put(0, 3);
  return Buffer.concat([sequence.put(0b00100, 5).unit(0x67), pictures.unit(0x68)]);
}

interface Field {
  slice: keyof typeof SLICES;
  isFirst: boolean;
  isBottom: boolean;
  number: number;
  numberBits: number;
  /** Its place among all fields as they are shown. */
  order: number;
}

/** A field whose last block, or each of a first one, is of plain samples. */
function fieldOf({ slice, isFirst, isBottom, number, numberBits, order }: Field): Buffer {
  const [type, plain] = SLICES[slice];
  const bits = new BitWriter().number(0, type, 0).put(number, numberBits);
  bits.put(1, 1).put(Number(isBottom), 1);
  if (isFirst) bits.number(0);
  bits.put(order, ORDER_BITS);
  if (slice === "B") bits.put(0b1000, 4);
  if (slice === "P") bits.put(0, 2);
  if (slice !== "B") bits.put(0, isFirst ? 2 : 1);
  bits.number(0);
  const samples = (block: number) => content(384, 1000 * order + block).map((byte) => 16 + (byte >> 1));
  const blocks = COLUMNS * ROWS;
  if (slice === "I") for (let block = 0; block < blocks; block++) bits.number(plain).bytes(samples(block));
  else
    bits
      .number(blocks - 1)
      .number(plain)
      .bytes(samples(0));
  return bits.unit(isFirst ? 0x65 : slice === "B" ? 0x01 : 0x41);
}

const DELIMITER = Buffer.from([0, 0, 1, 9, 0xf0]);

/** A picture, and its place among those of its group as they are shown. */
export interface FieldPair {
  fields: [Buffer, Buffer];
  place: number;
}

/**
 * A group of pictures, in the order in which they are decoded: each third one is shown after the two behind it.
 *
 * @param isDelimited true if each field begins with a unit that says so
 */
export function fieldPairs(count: number, isDelimited: boolean, numberBits = 4): FieldPair[] {
  const places = [0];
  for (let place = 3; place < count; place += 3) places.push(place, place - 2, place - 1);
  let references = 0;
  return places.map((place) => {
    const isShownLater = place % 3 === 0;
    const number = references % 2 ** numberBits;
    if (isShownLater) references++;
    const field = (isBottom: boolean): Buffer => {
      const slice = place === 0 && !isBottom ? "I" : isShownLater ? "P" : "B";
      const isFirst = slice === "I";
      const order = 2 * place + Number(isBottom);
      const unit = fieldOf({ slice, isFirst, isBottom, number, numberBits, order });
      const before = isFirst ? [parameters(numberBits)] : [];
      return Buffer.concat([...(isDelimited ? [DELIMITER] : []), ...before, unit]);
    };
    return { fields: [field(false), field(true)], place };
  });
}
