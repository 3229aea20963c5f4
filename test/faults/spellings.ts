/** How an answer may spell a secret that it echoes. */

const ALIGNMENTS = [0, 1, 2];

/** A secret in every spelling, each as an answer would write it. */
export function spelledIn(secret: string): string[] {
  const bytes = [...Buffer.from(secret)];
  const each = (write: (byte: number, hex: string) => string) =>
    bytes.map((byte) => write(byte, byte.toString(16).padStart(2, "0"))).join("");
  const entities = each((byte) => `&#${byte};`);
  return [
    secret,
    secret.toUpperCase(),
    secret.toLowerCase(),
    ...ALIGNMENTS.map((before) => Buffer.from("x".repeat(before) + secret).toString("base64")),
    ...ALIGNMENTS.map((before) => Buffer.from("x".repeat(before) + secret).toString("base64url")),
    Buffer.from(secret).toString("hex"),
    Buffer.from(secret).toString("hex").toUpperCase(),
    encodeURIComponent(secret),
    each((_, hex) => `%${hex}`),
    entities,
    entities.replaceAll("&", "&amp;"),
    each((_, hex) => `&#x${hex};`),
    each((_, hex) => `\\u00${hex}`),
    each((_, hex) => `\\x${hex}`),
  ];
}

/** Characters of a secret that must not be seen together. */
const PIECE = 12;

/** What no output may hold, in lower case, where a secret is not to be seen: its pieces in every spelling. */
export function piecesOf(secret: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at + PIECE <= secret.length; at += PIECE) {
    const piece = secret.slice(at, at + PIECE);
    for (const spelling of spelledIn(piece)) {
      // At its ends base64 depends on what stands around.
      const inner = /^[\w+/-]+=*$/.test(spelling) && !spelling.toLowerCase().includes(piece.toLowerCase());
      pieces.push((inner ? spelling.slice(4, 12) : spelling).toLowerCase());
    }
  }
  return pieces;
}
