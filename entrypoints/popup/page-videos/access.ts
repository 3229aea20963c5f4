/** Whether the browser lets us read from an origin as the person, with their cookies: asked once for each. */
import { isHostAllowed } from "../../shared/host-permissions.ts";

export type Access = (origin: string) => Promise<boolean>;

/** @param pageOrigin the origin that the click on the toolbar button has opened */
export function createAccess(pageOrigin: string): Access {
  const answers = new Map<string, Promise<boolean>>([[pageOrigin, Promise.resolve(true)]]);
  return (origin) => {
    const answer = answers.get(origin) ?? isHostAllowed(origin);
    answers.set(origin, answer);
    return answer;
  };
}
