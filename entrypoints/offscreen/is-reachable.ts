/** Whether an origin can be reached at all, also where the browser would not let us read it. */
import { openUploadFrame } from "./upload-frame.ts";

/** Milliseconds until a host that is silent counts as down. */
const REACH_TIMEOUT = 5000;

/** The response can't be read, but where there is one, network and host work. */
export async function isReachable(origin: string): Promise<boolean> {
  const options: RequestInit = { method: "HEAD", mode: "no-cors", credentials: "omit", cache: "no-store" };
  const frame = await openUploadFrame(origin);
  // What no frame can be limited to is not asked, since it could redirect.
  if (frame === undefined) return false;
  try {
    await frame.fetch(origin, { ...options, signal: AbortSignal.timeout(REACH_TIMEOUT) });
    return true;
  } catch {
    // Who redirects has answered.
    return await frame.wasRedirected();
  } finally {
    frame.remove();
  }
}
