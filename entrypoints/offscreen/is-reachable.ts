/** Whether an origin can be reached at all: the only request that this document makes by itself. */

/** Milliseconds until a host that is silent counts as down. */
const REACH_TIMEOUT = 5000;

/** The response can't be read, but where there is one, network and host work. */
export async function isReachable(origin: string): Promise<boolean> {
  const options: RequestInit = { method: "HEAD", mode: "no-cors", credentials: "omit", cache: "no-store" };
  try {
    await fetch(origin, { ...options, signal: AbortSignal.timeout(REACH_TIMEOUT) });
    return true;
  } catch {
    return false;
  }
}
