/** Whether an origin answers anything, to anybody: the only request that this document makes by itself. */

/** Milliseconds until a host that is silent counts as down. */
const REACH_TIMEOUT = 5000;

/** Asks for nothing in particular and sees no answer: where it comes, the line and the host are there. */
export async function isReachable(origin: string): Promise<boolean> {
  const how: RequestInit = { method: "HEAD", mode: "no-cors", credentials: "omit", cache: "no-store" };
  try {
    await fetch(origin, { ...how, signal: AbortSignal.timeout(REACH_TIMEOUT) });
    return true;
  } catch {
    return false;
  }
}
