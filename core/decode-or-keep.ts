/** Percent-encoded text. */

/** Decodes percent-encoding, or keeps a text whose encoding is broken. */
export function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
