/**
 * Attribute lists of playlist tags (RFC 8216, 4.2), and the variables that texts in them may name.
 *
 * @module
 */

import { LIMITS } from "./playlist.ts";

/** The attributes of a tag, by their names. */
export type Attributes = ReadonlyMap<string, string>;

/** One attribute: a name, and a text in quotes or a word. */
const ATTRIBUTE = /^\s*([^\s="]{1,100})\s*=(.*)$/s;

/** Reads the attributes behind the colon of a tag; what is none is left out, and hides no other. */
export function readAttributes(text: string, variables: Variables): Attributes {
  const attributes = new Map<string, string>();
  for (const item of itemsOf(text)) {
    const [, name, rest = ""] = ATTRIBUTE.exec(item) ?? [];
    if (name === undefined || attributes.has(name)) continue;
    const value = rest.trim();
    const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
    attributes.set(name, variables.fill(isQuoted ? value.slice(1, -1) : value));
  }
  return attributes;
}

/** The texts between commas that are in no quotes; a quote that isn't closed reaches to the end. */
function* itemsOf(text: string): Generator<string> {
  let [start, isQuoted] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === "," && !isQuoted) {
      yield text.slice(start, at);
      start = at + 1;
    }
  }
  yield text.slice(start);
}

/** What EXT-X-DEFINE defines: a playlist's own variables, and those of the main playlist that it asks for. */
export class Variables {
  readonly #known = new Map<string, string>();
  readonly #url: URL;
  readonly #refuse: (what: string) => Error;
  readonly #main: Variables | undefined;

  constructor(url: URL, refuse: (what: string) => Error, main?: Variables) {
    this.#url = url;
    this.#refuse = refuse;
    this.#main = main;
  }

  define(text: string): void {
    const attributes = readAttributes(text, this);
    const [name, wanted, query] = ["NAME", "IMPORT", "QUERYPARAM"].map((key) => attributes.get(key));
    if (name !== undefined) this.#known.set(name, attributes.get("VALUE") ?? "");
    if (wanted !== undefined) this.#take(wanted, this.#main?.get(wanted));
    if (query !== undefined) this.#take(query, this.#url.searchParams.get(query));
  }

  /** Without its value, addresses would lead somewhere else (RFC 8216bis, 4.4.2.3). */
  #take(name: string, value: string | null | undefined): void {
    if (value === undefined || value === null) throw this.#refuse("asks for a variable that isn't there");
    this.#known.set(name, value);
  }

  get(name: string): string | undefined {
    return this.#known.get(name);
  }

  /** A text with the values of the variables it names; those that are unknown stay as they are. */
  fill(text: string): string {
    if (this.#known.size === 0 || !text.includes("{$")) return text;
    let length = text.length;
    return text.replace(/\{\$([\w-]{1,100})\}/g, (found, name: string) => {
      const value = this.#known.get(name) ?? found;
      length += value.length;
      // Variables of variables would double with each.
      if (length > LIMITS.text) throw this.#refuse(`fills a text with over ${LIMITS.text} characters`);
      return value;
    });
  }
}
