/** Goes through the document and every shadow root in it once, closed ones too, and notes what may lead to a video. */
import { IS_FIREFOX } from "../shared/is-firefox.ts";
import { documentProperty, elementProperty, nodeProperty } from "./node-property.ts";
import type { TimeSlice } from "./time-slice.ts";

export type Root = Document | ShadowRoot;

export interface PlacedElement<Kind extends Element = HTMLElement> {
  element: Kind;
  root: Root;
  /** The innermost part of the page that it is in. */
  scope: Scope | undefined;
  /** The last heading before it. */
  before: Element | undefined;
}

export interface PageContent {
  videos: PlacedElement<HTMLVideoElement>[];
  frames: HTMLIFrameElement[];
  /** Of the document alone: its descriptions for search engines and other sites, and its title. */
  scripts: HTMLScriptElement[];
  metas: HTMLMetaElement[];
  title: Element | undefined;
  /** True if there was too little time for all of the page. */
  isCut: boolean;
}

/** Of the time of a look: what was found is then looked at more closely. */
const WALK_SHARE = 0.6;

export interface WalkOptions {
  slice: TimeSlice;
  /** Called with every element that may be a link to a video. @returns whether it is one */
  onLink(link: PlacedElement): boolean;
  /** Called with every other element but videos: it may be a player. @returns the steps that this took */
  onElement(place: PlacedElement<Element>): number;
}

const HTML = "http://www.w3.org/1999/xhtml";
/** The elements that can be shadow hosts beside custom ones. */
const HOSTS = new Set(
  "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
);
const LINKS = new Set(["a", "area", "object", "embed", "link"]);
const HEADINGS = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);

/** One look at each element: what is around it is known on the way, so nothing is ever searched for. */
export async function walkPage({ slice, onLink, onElement }: WalkOptions): Promise<PageContent> {
  const content: PageContent = {
    videos: [],
    frames: [],
    scripts: [],
    metas: [],
    title: undefined,
    isCut: false,
  };
  const roots: { root: Root; around: Scope | undefined }[] = [{ root: document, around: undefined }];
  // The list grows as shadows are found in shadows.
  for (const { root, around } of roots) {
    let scope = around;
    let before: Element | undefined;
    await walkRoot(root, slice, {
      enter(element) {
        const name = elementProperty(element, "localName");
        if (HEADINGS.has(name)) {
          before = element;
          addHeading(scope, element);
        } else if (isScope(name)) scope = enterScope(element, name, scope);
        if (name === "figcaption" && scope?.figure !== undefined) scope.figure.caption ??= element;
        const placed = { root, scope, before };
        let steps = 1;
        if (name === "video" && elementProperty(element, "namespaceURI") === HTML) {
          content.videos.push({ element: element as HTMLVideoElement, ...placed });
          countIn(scope, "videos");
        } else {
          if (LINKS.has(name) && onLink({ element: element as HTMLElement, ...placed }))
            countIn(scope, "links");
          steps += onElement({ element, ...placed });
        }
        if (name === "iframe" || name === "frame") content.frames.push(element as HTMLIFrameElement);
        else if (root === document) noteDescription(content, element, name);
        if (!HOSTS.has(name) && !name.includes("-")) return steps;
        const shadow = element instanceof HTMLElement ? shadowOf(element) : null;
        if (shadow) roots.push({ root: shadow, around: scope });
        return steps;
      },
      leave(element) {
        if (scope?.element === element) scope = scope.around;
      },
    });
    content.isCut = slice.isUsedUp(WALK_SHARE);
    if (content.isCut) break;
  }
  return content;
}

interface Visitor {
  /** @returns the steps that this took */
  enter(element: Element): number;
  leave(element: Element): void;
}

async function walkRoot(root: Root, slice: TimeSlice, { enter, leave }: Visitor): Promise<void> {
  const path: Element[] = [];
  let next = root === document ? documentProperty("firstElementChild") : root.firstElementChild;
  while (next !== null && !slice.isUsedUp(WALK_SHARE)) {
    let element: Element = next;
    const steps = enter(element);
    let inside = elementProperty(element, "firstElementChild");
    if (slice.isOver(steps)) {
      await slice.yieldToPage();
      // The page may have removed meanwhile what we are in: the walk goes on behind it.
      inside = nodeProperty(element, "isConnected") ? elementProperty(element, "firstElementChild") : null;
      while (!nodeProperty(element, "isConnected") && path.length > 0) {
        leave(element);
        element = path.pop() ?? element;
      }
    }
    if (inside !== null) {
      path.push(element);
      next = inside;
      continue;
    }
    leave(element);
    next = elementProperty(element, "nextElementSibling");
    while (next === null && path.length > 0) {
      if (slice.isOver()) await slice.yieldToPage();
      const around: Element = path.pop() ?? element;
      leave(around);
      next = elementProperty(around, "nextElementSibling");
    }
  }
}

/** Also a closed one: of it the browser tells extensions alone. */
function shadowOf(element: HTMLElement): ShadowRoot | null {
  if (IS_FIREFOX) return (element as ElementInFirefox).openOrClosedShadowRoot;
  return chrome.dom.openOrClosedShadowRoot(element) as ShadowRoot | null;
}

type ElementInFirefox = HTMLElement & { openOrClosedShadowRoot: ShadowRoot | null };

function noteDescription(content: PageContent, element: Element, name: string): void {
  if (name === "script" && element instanceof HTMLScriptElement) content.scripts.push(element);
  else if (name === "meta" && element instanceof HTMLMetaElement) content.metas.push(element);
  else if (name === "title" && element.namespaceURI === HTML) content.title ??= element;
}

/** Parts of a page, one in another, such as an article, a card or an entry of a list: what is in each of them. */
interface Scope {
  element: Element;
  around: Scope | undefined;
  /** True if its first heading is its title. */
  isEntry: boolean;
  /** The innermost figure, itself included. */
  figure: Scope | undefined;
  caption?: Element;
  heading?: Element;
  /** How many are in it, at any depth; two stand for any number more. */
  headings: number;
  videos: number;
  links: number;
}

const SCOPES = new Set([
  ...["article", "section", "li", "div", "figure", "main", "aside", "header", "footer", "nav", "body"],
  ...["a", "td", "tr", "dd", "dl", "ul", "ol", "details", "dialog", "form", "fieldset", "p"],
]);

/** Custom elements too: most of them are players and cards. */
function isScope(name: string): boolean {
  return SCOPES.has(name) || name.includes("-");
}

function enterScope(element: Element, name: string, around: Scope | undefined): Scope {
  const isEntry = name === "article";
  const scope: Scope = { element, around, isEntry, figure: undefined, headings: 0, videos: 0, links: 0 };
  scope.figure = name === "figure" ? scope : around?.figure;
  return scope;
}

/** Each part of a page is looked at twice at most, however many headings there are. */
function addHeading(scope: Scope | undefined, heading: Element): void {
  for (let at = scope; at !== undefined && at.headings < 2; at = at.around) {
    at.heading ??= heading;
    at.headings++;
  }
}

/** As with headings: where there are several, there are several around it too. */
function countIn(scope: Scope | undefined, what: "videos" | "links"): void {
  for (let at = scope; at !== undefined && at[what] < 2; at = at.around) at[what]++;
}
