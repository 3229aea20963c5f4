/** Pictures of H.264 in two fields (PAFF): a field says so, and which one it is, in the header of each of its slices. */
import { type Picture, rawBytesOf } from "./pictures.ts";

/** The part of a sequence's parameters (7.3.2.1.1) that the header of a slice is read with. */
interface Sequence {
  /** Bits of the number of a picture. */
  numberBits: number;
  /** True if slices tell which colour they are of. */
  hasPlanes: boolean;
  hasFields: boolean;
}

interface Field {
  number: number;
  isBottom: boolean;
}

/** Joins each field that tells no time with the one before, where both are of one picture. */
export function joinFields(pictures: readonly Picture[], isTimed: readonly boolean[]): Picture[] {
  const joined: Picture[] = [];
  let sequence: Sequence | undefined;
  let before: Field | undefined;
  for (const [at, picture] of pictures.entries()) {
    const units = picture.runs.filter((_, run) => run % 2 === 1);
    const parameters = units.find(([header = 0]) => (header & 31) === 7);
    if (parameters !== undefined) sequence = readSequence(parameters);
    const slice = units.find(isSlice);
    const field = sequence?.hasFields && slice ? readField(slice, sequence) : undefined;
    const first = joined.at(-1);
    const isSecond =
      before !== undefined && field?.number === before.number && field.isBottom !== before.isBottom;
    before = field;
    if (first === undefined || !isSecond || isTimed[at]) joined.push(picture);
    else {
      joined[joined.length - 1] = { ...first, end: picture.end, runs: [...first.runs, ...picture.runs] };
      before = undefined;
    }
  }
  return joined;
}

function isSlice([header = 0]: Uint8Array): boolean {
  return [1, 2, 5].includes(header & 31);
}

function readField(slice: Uint8Array, { numberBits, hasPlanes }: Sequence): Field | undefined {
  const bits = new Bits(slice);
  // The first block, what is predicted, and which parameters count.
  for (let skipped = 0; skipped < 3; skipped++) bits.number();
  if (hasPlanes) bits.take(2);
  const number = bits.take(numberBits);
  return bits.take(1) === 1 ? { number, isBottom: bits.take(1) === 1 } : undefined;
}

/** Profiles whose parameters tell of colours. */
const WITH_COLOURS = new Set([44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244]);
const ALL_COLOURS = 3;

function readSequence(unit: Uint8Array): Sequence {
  const bits = new Bits(unit);
  const profile = bits.take(8);
  bits.take(16);
  bits.number();
  let hasPlanes = false;
  if (WITH_COLOURS.has(profile)) {
    const colours = bits.number();
    if (colours === ALL_COLOURS) hasPlanes = bits.take(1) === 1;
    bits.number();
    bits.number();
    bits.take(1);
    if (bits.take(1) === 1)
      for (let list = 0; list < (colours === ALL_COLOURS ? 12 : 8); list++)
        skipScales(bits, list < 6 ? 16 : 64);
  }
  const numberBits = bits.number() + 4;
  const order = bits.number();
  if (order === 0) bits.number();
  if (order === 1) {
    bits.take(1);
    bits.number();
    bits.number();
    for (let left = Math.min(255, bits.number()); left > 0; left--) bits.number();
  }
  // References and gaps, and how many blocks are in a row and a column.
  bits.number();
  bits.take(1);
  bits.number();
  bits.number();
  return { numberBits, hasPlanes, hasFields: bits.take(1) === 0 };
}

/** Skips a list of scales (7.3.2.1.1.1), which ends with the first zero. */
function skipScales(bits: Bits, size: number): void {
  if (bits.take(1) === 0) return;
  for (let [at, scale] = [0, 8]; at < size && scale !== 0; at++) {
    const step = bits.number();
    scale = (scale + (step % 2 === 1 ? (step + 1) / 2 : -step / 2)) & 255;
  }
}

/** Bytes of a unit that are read: none of its parameters or headers is longer. */
const MOST = 1024;

/** The bits of a unit behind its first byte. */
class Bits {
  readonly #bytes: Uint8Array;
  #at = 8;

  constructor(unit: Uint8Array) {
    this.#bytes = rawBytesOf(unit.subarray(0, MOST));
  }

  take(count: number): number {
    let value = 0;
    for (const end = this.#at + count; this.#at < end; this.#at++)
      value = 2 * value + (((this.#bytes[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1);
    return value;
  }

  /** A number that as many zeros as it has further bits stand before (Exp-Golomb). */
  number(): number {
    let zeros = 0;
    while (zeros < 32 && this.take(1) === 0) zeros++;
    return 2 ** zeros - 1 + this.take(zeros);
  }
}
