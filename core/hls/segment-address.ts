/**
 * The addresses that a DASH template stands for (ISO 23009-1, 5.3.9.4.4).
 *
 * @module
 */

import { LIMITS } from "./playlist.ts";

/** Why a representation can't be read: the end of a sentence about the video. */
export class UnusableRepresentation extends Error {}

/** What is the same in all addresses of a representation. */
export interface AddressValues {
  RepresentationID: string;
  Bandwidth: string;
}

const IDENTIFIER = /\$([A-Za-z]*)(?:%0(\d+)d)?\$/g;
/** Digits of the largest number of 64 bits. */
const MOST_DIGITS = 20;

/** Characters of the longest address that a template stands for: a few of them may stand for millions. */
export function longestAddress(template: string, values: AddressValues): number {
  let length = encodedLength(template);
  for (const [found, name = "", width = "0"] of template.matchAll(IDENTIFIER)) {
    if (Number(width) > MOST_DIGITS)
      throw new UnusableRepresentation(`its addresses hold numbers of over ${MOST_DIGITS} digits`);
    if (name === "RepresentationID") length += encodedLength(values.RepresentationID);
    else if (name !== "") length += MOST_DIGITS;
    length -= found.length;
  }
  if (length > LIMITS.text)
    throw new UnusableRepresentation(`its manifest names an address of over ${LIMITS.text} characters`);
  return length;
}

/** The address of one piece, or of what pieces are read with. Its length was looked at before. */
export function fillAddress(
  template: string,
  values: AddressValues & { Number?: string; Time?: string },
): string {
  return template.replace(IDENTIFIER, (found, name: string, width = "0") => {
    if (name === "") return found === "$$" ? "$" : found;
    if (!Object.hasOwn(values, name)) return found;
    const value = values[name as keyof typeof values] ?? found;
    return name === "RepresentationID" ? value : value.padStart(Number(width), "0");
  });
}

/** Characters that a text may become within an address, where each sign beyond ASCII takes up to nine. */
export function encodedLength(text: string): number {
  return /^[!-~]*$/.test(text) ? text.length : 9 * text.length;
}
