/** Looks for the videos of a tab. */
import type { FrameFindings } from "../../shared/page-video.ts";
import { type FoundOnPage, putTogether } from "./found.ts";

/** Milliseconds in which a page answers that isn't stuck. */
const COLLECT_TIMEOUT = 10_000;

export interface PageFindings extends FoundOnPage {
  /** What the page calls itself. */
  pageTitle: string;
  /** The origin of the page: what lies there can be read without asking. */
  origin: string;
}

/** `closed`: scripts are kept out of the page. `stuck`: it gives no answer. */
export async function collectFrom(tabId: number): Promise<PageFindings | "closed" | "stuck"> {
  const late = new Promise<"stuck">((resolve) => setTimeout(resolve, COLLECT_TIMEOUT, "stuck"));
  const collecting = chrome.scripting
    .executeScript({
      target: { tabId, allFrames: true },
      files: ["/collector.js"],
      // Not when every frame is loaded: some never are.
      injectImmediately: true,
    })
    .then(
      (results): PageFindings | "closed" => {
        const frames = results.flatMap(({ frameId, result }) =>
          result ? [{ ...(result as FrameFindings), frameId }] : [],
        );
        const page = frames.find(({ frameId }) => frameId === 0);
        if (page === undefined) return "closed";
        const { origin, host } = new URL(page.url);
        return { ...putTogether(tabId, frames), pageTitle: page.title || host, origin };
      },
      () => "closed" as const,
    );
  return await Promise.race([collecting, late]);
}
