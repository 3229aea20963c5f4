/**
 * Texts that JSON can carry and services answer with 500: a database keeps no NUL, and half a character is no text.
 *
 * @module
 */

/** Why a text can't be sent. */
export type BrokenText = "nul" | "half-character";

/**
 * Finds a NUL, or half of a surrogate pair.
 *
 * @param text what is to be sent, such as a name
 * @returns why it can't be sent, or `undefined` where it can
 * @example Check a name before it is sent
 * ```ts
 * import { findBrokenText } from "@upcut/core/validate";
 *
 * console.log(findBrokenText("Launch video"), findBrokenText("a\0b")); // undefined "nul"
 * ```
 */
export function findBrokenText(text: string): BrokenText | undefined {
  if (text.includes("\0")) return "nul";
  return /\p{Surrogate}/u.test(text) ? "half-character" : undefined;
}
