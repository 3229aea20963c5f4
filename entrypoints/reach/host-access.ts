/** How hosts are reached: those that are allowed, those that answer at all, and as whom each is read. */

import { callBackground, type ReferrerScope } from "../shared/messages.ts";
import { originOf } from "../shared/web-address.ts";
import { openUploadFrame } from "./upload-frame.ts";

/** Of a host that can't be asked about it is true: should it be wrong, the request shows that. */
export async function isPermitted(address: string): Promise<boolean> {
  return await callBackground("is-permitted", { address }).catch(() => true);
}

/** Milliseconds until a host that is silent counts as down. */
const REACH_TIMEOUT = 5000;

/** The response can't be read, but where there is one, network and host work. */
export async function isReachable(origin: string): Promise<boolean> {
  const options: RequestInit = { method: "HEAD", mode: "no-cors", credentials: "omit", cache: "no-store" };
  const frame = await openUploadFrame(origin);
  // An origin that no frame can be limited to is not asked, since it could redirect.
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

export interface OriginAccess {
  allowed: boolean;
  credentials: RequestCredentials;
  /** True if it has given anything. */
  worked: boolean;
  /** Which of its addresses get the referrer, once the background has set it. */
  referrerScope?: ReferrerScope;
  /** When that was, in milliseconds of the document: what was asked before went without it. */
  referrerSetAt?: number;
}

/** Where a manifest is, and how its video was found. */
export interface ManifestPlace {
  address: string;
  page?: string | undefined;
  /** True if the manifest's server lets everybody read it. */
  open?: boolean | undefined;
}

export async function findOriginAccess(
  origin: string,
  { address, page, open }: ManifestPlace,
): Promise<OriginAccess> {
  const allowed = await isPermitted(origin);
  const isOpen = open === true && origin === originOf(address);
  // A click on the toolbar lets us read the site of the page, without it being told.
  const isOwn = page !== undefined && origin === originOf(page);
  return { allowed, credentials: allowed || (isOwn && !isOpen) ? "include" : "omit", worked: false };
}
