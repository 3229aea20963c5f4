/** What a page calls an element. */
import { humanName } from "../shared/video-name.ts";
import { documentProperty, elementProperty, nodeProperty } from "./node-property.ts";
import type { PlacedElement, Root } from "./page-walk.ts";

/** Characters that are read to find as many as are shown. */
const READ_LENGTH = 1000;
/** Nodes that are read for a name: a page may have any number of them in any element. */
const READ_NODES = 60;
const MAX_LABELS = 8;
const MAX_AROUND = 12;
/** Words of links that say what they do and not what they lead to; others show by being on several links. */
const GENERIC_WORDS =
  /^(download|watch|play|open|view|video|clip|link|here|click here|mp4|webm|mov|sd|hd|\d+p?)\b[^a-z]*$/i;

/** What something is called: by a name of its own, or by the heading near it, which it may share. */
export interface Names {
  title?: string;
  near?: string;
}

/**
 * The name a person gave it: its label, its title, its caption, or the heading of the part of the page in which it is
 * the only one of its kind.
 */
export function namesOf(place: PlacedElement<Element>, kind: "videos" | "links"): Names {
  const { element, root, scope } = place;
  const ids = (attributeOf(element, "aria-labelledby") ?? "").slice(0, READ_LENGTH).split(/\s+/, MAX_LABELS);
  const labels = ids.flatMap((id) => (id === "" ? [] : (elementById(root, id) ?? [])));
  const title =
    name(labels.map((label) => readText(label).text).join(" ")) ??
    attribute(element, "aria-label") ??
    attribute(element, "title") ??
    (scope?.figure?.caption && name(readText(scope.figure.caption).text));
  return title === undefined ? namesAround(place, kind) : { title };
}

function namesAround({ scope, before }: PlacedElement<Element>, kind: "videos" | "links"): Names {
  let at = scope;
  for (let count = 0; at !== undefined && count < MAX_AROUND; count++, at = at.around) {
    const isOnly = at[kind] < 2;
    const label = isOnly
      ? (attribute(at.element, "aria-label") ?? attribute(at.element, "title"))
      : undefined;
    if (label !== undefined) return { title: label };
    if (at.heading === undefined) continue;
    const heading = name(readText(at.heading).text);
    if (isOnly && heading !== undefined && (at.headings === 1 || at.isEntry)) return { title: heading };
    const near = at.headings > 1 && before !== undefined ? name(readText(before).text) : heading;
    return { ...(near !== undefined && { near }) };
  }
  const near = before && name(readText(before).text);
  return { ...(near !== undefined && { near }) };
}

/** What a link says itself, if it says more than what it does. */
export function linkWords({ element }: PlacedElement<Element>): string | undefined {
  const file = name(attribute(element, "download"));
  const inside = readText(element);
  const words = file ?? name(inside.text) ?? name(inside.image?.alt);
  return words !== undefined && !GENERIC_WORDS.test(words) ? words : undefined;
}

export function textOf(element: Element | undefined): string | undefined {
  return element && readText(element).text;
}

/** A text as a name, if a person would call something so. */
export function name(value: unknown): string | undefined {
  return typeof value === "string" ? humanName(value) || undefined : undefined;
}

function attribute(element: Element, name: string): string | undefined {
  return humanName(attributeOf(element, name) ?? "") || undefined;
}

function attributeOf(element: Element, name: string): string | null {
  return elementProperty(element, "getAttribute").call(element, name);
}

function elementById(root: Root, id: string): Element | null {
  return root === document ? documentProperty("getElementById").call(root, id) : root.getElementById(id);
}

/** The beginning of the text in an element, and the first picture on the way. */
function readText(element: Element): { text: string; image?: HTMLImageElement } {
  let text = "";
  let image: HTMLImageElement | undefined;
  let node: Node | null = nodeProperty(element, "firstChild");
  for (let count = 0; node !== null && count < READ_NODES && text.length < READ_LENGTH; count++) {
    if (node instanceof CharacterData && node.nodeType !== Node.COMMENT_NODE)
      text += node.substringData(0, READ_LENGTH - text.length);
    if (node instanceof HTMLImageElement) image ??= node;
    node = nodeProperty(node, "firstChild") ?? following(node, element);
  }
  return { text, ...(image !== undefined && { image }) };
}

/** The node behind one and all that is in it, still within an element. */
function following(node: Node, element: Element): Node | null {
  let at: Node | null = node;
  // No node is deeper than as many nodes as were read.
  for (let count = 0; at !== null && at !== element && count < READ_NODES; count++) {
    const next = nodeProperty(at, "nextSibling");
    if (next !== null) return next;
    at = nodeProperty(at, "parentNode");
  }
  return null;
}
