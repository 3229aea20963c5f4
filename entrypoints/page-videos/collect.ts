/** Looks for the videos of a tab. */

import { type Access, createAccess } from "../reach/host-permissions.ts";
import { cleanName } from "../shared/video-name.ts";
import { within } from "../shared/within.ts";
import { type Findings, type FoundOnPage, putTogether, unnamedLinksOf, withinLimits } from "./found.ts";
import { createManifestReader, type ManifestReader, readAll } from "./manifests.ts";
import { namedByServer } from "./named-by-server.ts";
import type { FrameFindings } from "./page-video.ts";

/** Milliseconds for all manifests, before what was found besides is shown. */
const READ_TIMEOUT = 6000;
/** Milliseconds in which a page answers that isn't stuck. */
const COLLECT_TIMEOUT = 10_000;

export interface PageFindings extends FoundOnPage {
  pageTitle: string;
  origin: string;
  access: Access;
  manifests: ManifestReader;
  /** Asks the servers of links that may be videos, and of manifests; the same with these, or nothing new. */
  more?: () => Promise<PageFindings | undefined>;
}

/** `press`: a click on the toolbar button lets us in. */
export type NotSearched = "closed" | "press" | "stuck";

export async function collectFrom(
  tabId: number,
  surface: "popup" | "tab" | "panel",
): Promise<PageFindings | NotSearched> {
  const collecting = chrome.scripting
    .executeScript({
      target: { tabId, allFrames: true },
      files: ["/collector.js"],
      // Not when every frame is loaded: some never are.
      injectImmediately: true,
    })
    .then(
      (results) => {
        const frames = results.flatMap(({ frameId, result }) =>
          result ? [{ ...(result as FrameFindings), frameId }] : [],
        );
        return findingsOf(tabId, withinLimits(frames)) ?? "closed";
      },
      (refusal: unknown): NotSearched =>
        surface === "panel" && /permission/i.test(String(refusal)) ? "press" : "closed",
    );
  return await within(COLLECT_TIMEOUT, collecting, () => "stuck" as const);
}

function findingsOf(tabId: number, frames: Findings[]): PageFindings | undefined {
  const page = frames.find(({ frameId }) => frameId === 0);
  if (page === undefined || page.isPdf) return undefined;
  const { origin, host } = new URL(page.url);
  const access = createAccess(origin);
  const manifests = createManifestReader(access);
  const about = { pageTitle: cleanName(page.title) || host, origin, access, manifests };
  const links = unnamedLinksOf(frames);
  const first = putTogether(tabId, frames);
  if (links.length === 0 && first.unread.length === 0) return { ...first, ...about };
  /** With what is known after so many milliseconds: what else there is doesn't wait for a slow manifest. */
  const after = async (
    named: Promise<Findings[]>,
    milliseconds?: number,
  ): Promise<PageFindings | undefined> => {
    const [added, { read, isLate }] = await Promise.all([
      named,
      readAll(first.unread, manifests, milliseconds),
    ]);
    if (added.length === 0 && read.size === 0 && !isLate) return undefined;
    const found = { ...putTogether(tabId, [...frames, ...added], read), ...about };
    return isLate ? { ...found, more: () => after(named) } : found;
  };
  return { ...first, ...about, more: () => after(namedByServer(links, origin), READ_TIMEOUT) };
}
