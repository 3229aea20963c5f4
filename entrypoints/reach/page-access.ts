/** How an origin may be asked about what a page names there, before the person picks it. */
import { isOwnNetwork } from "../../core/extension.ts";
import { isHostAllowed, isOpenedByClick } from "./host-permissions.ts";

/** As the person, with their cookies, where the browser lets us; as anybody; or not at all. */
export type Access = (origin: string) => Promise<"include" | "omit" | undefined>;

/** @param pageOrigin the origin of the page that the toolbar button was clicked on */
export function createAccess(pageOrigin: string): Access {
  const answers = new Map<string, ReturnType<Access>>();
  const isPublic = URL.canParse(pageOrigin) && !isOwnNetwork(new URL(pageOrigin).hostname);
  const ask: Access = async (origin) => {
    // A page may name a router, or a camera: only the person may cause a request to it.
    if (isPublic && isOwnNetwork(new URL(origin).hostname)) return undefined;
    if (isOpenedByClick(origin, pageOrigin)) return "include";
    return (await isHostAllowed(origin)) ? "include" : "omit";
  };
  return (origin) => {
    const answer = answers.get(origin) ?? ask(origin);
    answers.set(origin, answer);
    return answer;
  };
}
