/** Frames of other sites, which can't be looked into without a permission. */
import { isWebAddress, originOf } from "../shared/web-address.ts";
import { findAll, type Root } from "./roots.ts";

/** Pixels below which a frame is a button or a counter, and no player. */
const [WIDTH, HEIGHT] = [160, 90];

/** The origin of each. */
export function closedOriginsIn(roots: Root[]): string[] {
  return findAll<HTMLIFrameElement>(roots, "iframe[src], frame[src]").flatMap((frame) => {
    if (frame.contentDocument !== null) return [];
    if (frame.offsetWidth < WIDTH || frame.offsetHeight < HEIGHT) return [];
    return isWebAddress(frame.src) ? [originOf(frame.src)] : [];
  });
}

/** Whether this is one of them, and a script was let in all the same. */
export function isApart(): boolean {
  return window !== window.parent && frameElement === null && innerWidth >= WIDTH && innerHeight >= HEIGHT;
}
