/** Percent-encoded text. */

/**
 * Decodes percent-encoding, or keeps a text whose encoding is broken.
 *
 * @param text as it stands in an address
 * @returns the text, decoded whole or not at all
 */
export function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
