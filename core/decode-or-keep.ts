/**
 * Percent-encoded text.
 *
 * @module
 */

/**
 * Decodes percent-encoding, or keeps a text whose encoding is broken.
 *
 * @param text as it stands in an address
 * @returns the text, decoded whole or not at all
 * @example Show a file name of an address
 * ```ts
 * import { decodeOrKeep } from "@upcut/core/validate";
 *
 * console.log(decodeOrKeep("Launch%20video.mp4"), decodeOrKeep("100%.mp4")); // "Launch video.mp4" "100%.mp4"
 * ```
 */
export function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
