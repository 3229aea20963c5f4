/** Whether the browser lets us read from an origin as the person, with their cookies: asked once for each. */
import { isHostAllowed, isOpenedByClick } from "../../shared/host-permissions.ts";

export type Access = (origin: string) => Promise<boolean>;

/** @param pageOrigin the origin of the page that the toolbar button was clicked on */
export function createAccess(pageOrigin: string): Access {
  const answers = new Map<string, Promise<boolean>>();
  return (origin) => {
    const answer =
      answers.get(origin) ??
      (isOpenedByClick(origin, pageOrigin) ? Promise.resolve(true) : isHostAllowed(origin));
    answers.set(origin, answer);
    return answer;
  };
}
