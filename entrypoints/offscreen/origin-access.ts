/** How one origin is read: with cookies where the browser lets us, and as anybody elsewhere. */
import type { ReferrerScope } from "../shared/messages.ts";
import { originOf } from "../shared/web-address.ts";
import { isPermitted } from "./is-permitted.ts";

export interface OriginAccess {
  /** Whether the person has allowed it. */
  allowed: boolean;
  credentials: RequestCredentials;
  /** Whether it has given anything. */
  worked: boolean;
  /** Which of its addresses get the referrer, once the background has set it. */
  referrerScope?: ReferrerScope;
  /** When that was, in milliseconds of the document: what was asked before went without it. */
  referrerSetAt?: number;
}

/** Where a manifest is, and how its video was found. */
export interface ManifestPlace {
  /** The address of the manifest. */
  address: string;
  /** The page that plays the video. */
  page?: string | undefined;
  /** Whether the manifest's server lets everybody read it. */
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
