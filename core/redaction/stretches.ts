/**
 * Stretches of secrets, by which a text is known that repeats one. Texts are compared by their letters and digits alone,
 * in time that grows with their length.
 */
import { readingsOf } from "./readings.ts";

/** Characters of the shortest secret that is looked for: a shorter one would hide ordinary words. */
const SHORTEST = 4;
/** Characters that are compared at most, so that a long stretch costs no more than a short one. */
const LONGEST_STRETCH = 32;

/** Stretches to find in texts without their white space, and in texts with it, where ordinary words could join. */
export interface Stretches {
  joined: ByLength;
  spaced: ByLength;
  /** Secrets of signs alone. */
  literal: string[];
}

type ByLength = Map<number, Set<string>>;

/** The letters and digits of a text in small letters, with one blank for white space. */
function fold(text: string): string {
  // Marks go first, since engines sort a run of them in the square of its length.
  const plain = /^[\0-\x7f]*$/.test(text) ? text : text.replace(/\p{M}+/gu, "").normalize("NFKD");
  return plain
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s]+/gu, "")
    .replace(/\s+/g, " ");
}

/** The stretches of secrets in any reading. */
export function stretchesOf(secrets: Iterable<string>): Stretches {
  const joined: ByLength = new Map();
  const spaced: ByLength = new Map();
  const literal = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < SHORTEST) continue;
    for (const reading of formsOf(secret)) {
      const { text, plainUntil } = lettersOf(reading);
      const half = Math.ceil(text.length / 2);
      if (text.length < SHORTEST) literal.add(secret.slice(0, LONGEST_STRETCH));
      for (const stretch of runs(text, between(half, 6, 8))) if (/\p{N}/u.test(stretch)) add(joined, stretch);
      for (const [at, stretch] of runs(text, between(half, 8, 12)).entries())
        if (!/\p{N}/u.test(stretch) && at + stretch.length > (plainUntil[at] ?? 0)) add(spaced, stretch);
      if (text.length >= 12) for (const stretch of runs(text, LONGEST_STRETCH)) add(joined, stretch);
    }
  }
  return { joined, spaced, literal: [...literal] };
}

export function holdsStretch(text: string, { joined, spaced, literal }: Stretches): boolean {
  const folded = fold(text);
  const letters = folded.replaceAll(" ", "");
  return literal.some((signs) => text.includes(signs)) || isIn(folded, spaced) || isIn(letters, joined);
}

/** The secret as it may be read: its host is no secret, and escapes of bytes leave other letters than ASCII's apart. */
function formsOf(secret: string): string[] {
  const { origin = "" } = /^https?:/i.test(secret) && URL.canParse(secret) ? new URL(secret) : {};
  const own = secret.toLowerCase().startsWith(origin) ? secret.slice(origin.length) : secret;
  const bytes = [...new TextEncoder().encode(own)].map((byte) => String.fromCharCode(byte)).join("");
  const forms = bytes === own ? [own] : [own, bytes, own.replace(/[^\0-\x7f]+/g, "")];
  return forms.flatMap((form) => {
    try {
      return [...readingsOf(form)];
    } catch {
      return [form];
    }
  });
}

/** A secret's letters and digits, and up to where a plain word goes that any of them is in, if it isn't the only one. */
function lettersOf(secret: string): { text: string; plainUntil: number[] } {
  const words = secret.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  const plainUntil: number[] = [];
  let text = "";
  for (const word of words) {
    const letters = fold(word).replaceAll(" ", "");
    const isPlain = words.length > 1 && /^(?:[A-Z]?[a-z]{1,15}|[A-Z]{1,15})$/.test(word);
    text += letters;
    for (let at = 0; at < letters.length; at++) plainUntil.push(isPlain ? text.length : 0);
  }
  return { text, plainUntil };
}

function between(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** All stretches of a length; a shorter text is one itself. */
function runs(text: string, length: number): string[] {
  const count = text.length < SHORTEST ? 0 : Math.max(1, text.length - length + 1);
  return Array.from({ length: count }, (_, at) => text.slice(at, at + length));
}

function add(to: ByLength, stretch: string): void {
  const same = to.get(stretch.length) ?? new Set();
  to.set(stretch.length, same.add(stretch));
}

function isIn(text: string, stretches: ByLength): boolean {
  for (const [length, same] of stretches)
    for (let at = 0; at + length <= text.length; at++) if (same.has(text.slice(at, at + length))) return true;
  return false;
}
