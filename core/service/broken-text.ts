/** Texts that JSON can carry and services answer with 500: a database keeps no NUL, and half a character is no text. */

/** Why a text can't be sent. */
export type BrokenText = "nul" | "half-character";

/**
 * Finds a NUL, or half of a surrogate pair.
 *
 * @param text what is to be sent, such as a name
 * @returns why it can't be sent, or `undefined` where it can
 */
export function findBrokenText(text: string): BrokenText | undefined {
  if (text.includes("\0")) return "nul";
  return /\p{Surrogate}/u.test(text) ? "half-character" : undefined;
}
