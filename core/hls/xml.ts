/**
 * Reads XML as manifests hold it: elements, attributes and text. Takes no longer than the text is long, whoever wrote it,
 * and prints nothing.
 */

/** An element, as far as those who read manifests look at it. */
export interface XmlElement {
  tagName: string;
  /** The last one counts of several with a name. */
  attributes: Map<string, string>;
  childNodes: XmlElement[];
  textContent: string;
}

/** A text that is no XML, or more of it than any manifest holds. */
export class UnreadableXml extends Error {}

const MOST_ELEMENTS = 200_000;
const DEEPEST = 30;
const MOST_ATTRIBUTES = 100;

const NAME = /[A-Za-z_][\w.:-]{0,200}/y;
const SPACE = /\s*/y;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["apos", "'"],
  ["gt", ">"],
  ["lt", "<"],
  ["quot", '"'],
]);

/** @throws {UnreadableXml} */
export function readXml(text: string): XmlElement {
  const root = newElement("");
  const open = [root];
  let count = 0;
  let at = 0;
  const skipTo = (mark: string, from: number): number => {
    const end = text.indexOf(mark, from);
    if (end < 0) throw new UnreadableXml();
    return end + mark.length;
  };
  while (at < text.length) {
    const element = open.at(-1) ?? root;
    if (text[at] !== "<") {
      const next = text.indexOf("<", at);
      const end = next < 0 ? text.length : next;
      element.textContent += plain(text.slice(at, end));
      at = end;
    } else if (text.startsWith("<!--", at)) at = skipTo("-->", at + 4);
    else if (text.startsWith("<?", at)) at = skipTo("?>", at + 2);
    else if (text.startsWith("<![CDATA[", at)) {
      const end = skipTo("]]>", at + 9);
      element.textContent += text.slice(at + 9, end - 3);
      at = end;
    } else if (text.startsWith("</", at)) {
      const end = skipTo(">", at + 2);
      if (text.slice(at + 2, end - 1).trim() !== element.tagName || open.length < 2)
        throw new UnreadableXml();
      open.pop();
      at = end;
    } else {
      const { child, end, isEmpty } = readTag(text, at + 1);
      if (++count > MOST_ELEMENTS || open.length > DEEPEST) throw new UnreadableXml();
      element.childNodes.push(child);
      if (!isEmpty) open.push(child);
      at = end;
    }
  }
  const [first, ...others] = root.childNodes;
  if (first === undefined || others.length > 0 || open.length > 1) throw new UnreadableXml();
  return first;
}

export function childrenOf({ childNodes }: XmlElement, name: string): XmlElement[] {
  return childNodes.filter(({ tagName }) => tagName === name);
}

function newElement(tagName: string): XmlElement {
  return { tagName, attributes: new Map(), childNodes: [], textContent: "" };
}

/** Reads a tag behind its first sign. Declarations of a document's own rules are none. */
function readTag(text: string, start: number): { child: XmlElement; end: number; isEmpty: boolean } {
  let at = start;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const [found = ""] = pattern.exec(text) ?? [];
    at += found.length;
    return found;
  };
  const child = newElement(take(NAME));
  if (child.tagName === "") throw new UnreadableXml();
  for (;;) {
    take(SPACE);
    if (text[at] === ">") return { child, end: at + 1, isEmpty: false };
    if (text.startsWith("/>", at)) return { child, end: at + 2, isEmpty: true };
    const name = take(NAME);
    take(SPACE);
    const isSet = text[at] === "=";
    at++;
    take(SPACE);
    const quote = text.charAt(at);
    const end = quote === '"' || quote === "'" ? text.indexOf(quote, at + 1) : -1;
    if (name === "" || !isSet || end < 0 || child.attributes.size >= MOST_ATTRIBUTES)
      throw new UnreadableXml();
    child.attributes.set(name, plain(text.slice(at + 1, end)));
    at = end + 1;
  }
}

/** A text with its references resolved; those that only a document's own rules would define stay. */
function plain(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (found, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(String(name)) ?? found;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : found;
  });
}
