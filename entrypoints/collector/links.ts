/** Links to video files, and files that are embedded without a video element. */

import type { UnnamedLink } from "../page-videos/page-video.ts";
import { addressOf, FILE_ENDINGS, kindOf, mediaType } from "../shared/video-kind.ts";
import { isWebAddress, originOf } from "../shared/web-address.ts";
import type { Candidate } from "./catalogue.ts";
import { linkWords, type Names, namesOf } from "./label.ts";
import { baseAddress } from "./node-property.ts";
import type { PlacedElement } from "./page-walk.ts";
import { CLOCK_INTERVAL, type TimeSlice } from "./time-slice.ts";

/** A link, and the video it leads to; what it is called is read once all of the page is known. */
interface VideoLink extends Pick<Candidate, "kind" | "address" | "type"> {
  place: PlacedElement;
}

export interface PageLinks {
  /** Takes an element that may be a link to a video. @returns whether it is one */
  note(place: PlacedElement): boolean;
  candidates(slice: TimeSlice): AsyncGenerator<Candidate>;
  unnamed(): UnnamedLink[];
}

const MAX_LINKS = 4;
/** Links whose server is asked what is there. */
const MAX_UNNAMED = 8;
const MAX_ADDRESS = 2048;

/** @param maxCount videos of which links are kept: of more nothing is shown */
export function openLinks(maxCount: number): PageLinks {
  const links: VideoLink[] = [];
  const unnamed = new Map<string, PlacedElement>();
  const counts = new Map<string, number>();
  return {
    note(place) {
      const address = addressOf(targetOf(place.element), baseAddress());
      if (address === undefined || !isWebAddress(address)) return false;
      const type = mediaType(place.element.getAttribute("type"));
      const kind = kindOf(address, type);
      if (kind === undefined) {
        if (address.length > MAX_ADDRESS) return false;
        if (unnamed.size < MAX_UNNAMED && mayBeVideo(place.element, address) && !unnamed.has(address))
          unnamed.set(address, place);
        return false;
      }
      const count = counts.get(address) ?? 0;
      // One address more says that there are more. What a few links don't say of a video, others won't either.
      if (count === 0 ? counts.size > maxCount : count >= MAX_LINKS) return false;
      counts.set(address, count + 1);
      links.push({ kind, address, place, ...(type !== undefined && { type }) });
      return count === 0;
    },
    async *candidates(slice) {
      const words = await readWords(links, slice);
      for (const { place, ...link } of links) {
        if (slice.isOver(CLOCK_INTERVAL)) await slice.yieldToPage();
        if (slice.isUsedUp()) return;
        yield { ...link, ...linkNames(place, words), isLink: true };
      }
    },
    unnamed: () => [...unnamed].map(([address, place]) => ({ address, ...linkNames(place, new Map()) })),
  };
}

type Words = Map<PlacedElement, string | undefined>;

/** What links say. The same words on links to several videos are a button, in whatever language: `Herunterladen`. */
async function readWords(links: VideoLink[], slice: TimeSlice): Promise<Words> {
  const words: Words = new Map();
  /** The video that words lead to, and an empty text where they lead to several. */
  const targets = new Map<string, string>();
  for (const { place, address } of links) {
    if (slice.isOver(CLOCK_INTERVAL)) await slice.yieldToPage();
    if (slice.isUsedUp()) break;
    const said = place.element instanceof HTMLAnchorElement ? linkWords(place) : undefined;
    words.set(place, said);
    if (said !== undefined) targets.set(said, (targets.get(said) ?? address) === address ? address : "");
  }
  for (const [place, said] of words) if (targets.get(said ?? "") === "") words.set(place, undefined);
  return words;
}

function linkNames(place: PlacedElement, words: Words): Names {
  const title = words.get(place) ?? (words.has(place) ? undefined : linkWords(place));
  return title === undefined ? namesOf(place, "links") : { title };
}

/** A link of the page's own site that says it is a download, and not of what. */
function mayBeVideo(element: Element, address: string): boolean {
  if (!(element instanceof HTMLAnchorElement) || originOf(address) !== location.origin) return false;
  const { pathname } = new URL(address);
  if (isOtherFile(pathname) || isOtherFile(element.download)) return false;
  return element.hasAttribute("download") || /\/(download|dl)s?(\/|$)/i.test(pathname);
}

/** Any other file says so by its ending; those of programs say nothing. */
function isOtherFile(path: string): boolean {
  const ending = /\.(\w{2,5})$/.exec(path.slice(-6))?.[1]?.toLowerCase();
  if (ending === undefined || FILE_ENDINGS.includes(ending)) return false;
  return !["php", "asp", "aspx", "jsp", "cgi", "do", "bin"].includes(ending);
}

function targetOf(element: Element): string | null {
  switch (element.localName) {
    case "object":
      return element.getAttribute("data");
    case "embed":
      return element.getAttribute("src");
    case "link":
      return isPreload(element) ? element.getAttribute("href") : null;
    default:
      return element.getAttribute("href");
  }
}

function isPreload(element: Element): boolean {
  const [rel = "", as] = [element.getAttribute("rel") ?? "", element.getAttribute("as")];
  return as === "video" && rel.length < 100 && rel.toLowerCase().split(/\s+/).includes("preload");
}
