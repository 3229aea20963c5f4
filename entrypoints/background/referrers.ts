/** Which referrer goes with requests for pieces of a video, by the job that reads them. */
import * as v from "valibot";
import { isWebAddress, originOf } from "../shared/web-address.ts";

/** Lives as long as the header rules that are made of it: both end with the browser. */
const REFERRERS = "referrers";

const schema = v.array(v.object({ jobId: v.string(), origin: v.string(), referrer: v.string() }));

export type SentReferrer = v.InferOutput<typeof schema>[number];

/**
 * What a page sends as the referrer of a request, by the policy that browsers have where nothing else is said: its
 * address within its own origin, its origin to others, and nothing from https to http.
 */
export function referrerOf(page: string, address: string): string | undefined {
  if (!isWebAddress(page) || !isWebAddress(address)) return undefined;
  const [from, to] = [new URL(page), new URL(address)];
  if (from.origin === to.origin) return from.origin + from.pathname + from.search;
  if (from.protocol === "https:" && to.protocol === "http:") return undefined;
  return `${from.origin}/`;
}

export async function noteReferrer(jobId: string, address: string, page: string): Promise<void> {
  const referrer = referrerOf(page, address);
  if (referrer === undefined) return;
  const origin = originOf(address);
  const others = (await readReferrers()).filter((each) => each.jobId !== jobId || each.origin !== origin);
  await chrome.storage.session.set({ [REFERRERS]: [...others, { jobId, origin, referrer }] });
}

/** @param jobId nothing for all jobs */
export async function forgetReferrers(jobId?: string): Promise<void> {
  const others = jobId === undefined ? [] : (await readReferrers()).filter((each) => each.jobId !== jobId);
  await chrome.storage.session.set({ [REFERRERS]: others });
}

export async function readReferrers(): Promise<SentReferrer[]> {
  const { [REFERRERS]: stored } = await chrome.storage.session.get(REFERRERS);
  return v.parse(v.fallback(schema, []), stored);
}
