/** Reads XML as manifests hold it. Takes no longer than the text is long, whoever wrote it, and prints nothing. */

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

/** A comment or an instruction; text that stands for itself; the end of an element; the name of one; any other text. */
const TOKEN = /<!--.*?-->|<\?.*?\?>|<!\[CDATA\[(.*?)\]\]>|<\/([^>]*)>|<([A-Za-z_][\w.:-]{0,200})|([^<]+)/sy;
/** A name and a value, or the end of the tag. Declarations of a document's own rules are none. */
const ATTRIBUTE = /\s*(?:(\/?>)|([A-Za-z_][\w.:-]{0,200})\s*=\s*(?:"([^"]*)"|'([^']*)'))/y;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["apos", "'"],
  ["gt", ">"],
  ["lt", "<"],
  ["quot", '"'],
]);

export function readXml(text: string): XmlElement {
  const root = newElement("");
  const open = [root];
  let [at, count] = [0, 0];
  /** The prefix of the root, which says nothing else of the elements that bear it. */
  let prefix = "";
  const plainName = (name: string) => (name.startsWith(prefix) ? name.slice(prefix.length) : name);
  const take = (pattern: RegExp): (string | undefined)[] => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) throw new UnreadableXml();
    at = pattern.lastIndex;
    return found;
  };
  while (at < text.length) {
    const element = open.at(-1) ?? root;
    const [, data, ended, name, other] = take(TOKEN);
    if (data !== undefined || other !== undefined) element.textContent += data ?? plain(other ?? "");
    if (ended !== undefined) {
      if (plainName(ended.trim()) !== element.tagName || open.length < 2) throw new UnreadableXml();
      open.pop();
    }
    if (name === undefined) continue;
    if (count === 0) prefix = name.slice(0, name.indexOf(":") + 1);
    const child = newElement(plainName(name));
    if (++count > MOST_ELEMENTS || open.length > DEEPEST) throw new UnreadableXml();
    element.childNodes.push(child);
    for (;;) {
      const [, end, key = "", double, single] = take(ATTRIBUTE);
      if (end === ">") open.push(child);
      if (end !== undefined) break;
      if (child.attributes.size >= MOST_ATTRIBUTES) throw new UnreadableXml();
      child.attributes.set(key, plain(double ?? single ?? ""));
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

/** A text with its references resolved; those that only a document's own rules would define stay. */
function plain(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (found, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(String(name)) ?? found;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : found;
  });
}
