/** Which referrer goes with requests for pieces of a video, by the job that reads them. */
import type { ReferrerScope } from "../shared/messages.ts";
import { isWebAddress, originOf } from "../shared/web-address.ts";

/** Lives as long as the header rules that are made of it: both end with the browser, or an update. */
const REFERRERS = "referrers";
/** Hosts of one job, its latest: a playlist may name any number of them. */
export const MAX_HOSTS = 50;
/** Addresses of one job that have a rule of their own, its latest: more than are asked for at once. */
export const MAX_ADDRESSES = 20;

export interface SentReferrer {
  jobId: string;
  /** An origin, or a whole address where another job reads that origin with another referrer. */
  scope: string;
  referrer: string;
}

/**
 * The referrer that a page sends with a request, by the policy that browsers have where nothing else is said: its
 * address within its own origin, its origin to others, and nothing from https to http.
 */
export function referrerOf(page: string, address: string): string | undefined {
  if (!isWebAddress(page) || !isWebAddress(address)) return undefined;
  const [from, to] = [new URL(page), new URL(address)];
  if (from.origin === to.origin) return from.origin + from.pathname + from.search;
  if (from.protocol === "https:" && to.protocol === "http:") return undefined;
  return `${from.origin}/`;
}

/**
 * Notes the referrer of a job for the host of an address; for that address alone where another job reads the same host
 * with another one, since nothing else tells the requests of two jobs apart.
 */
export async function noteReferrer(jobId: string, address: string, page: string): Promise<ReferrerScope> {
  const referrer = referrerOf(page, address);
  if (referrer === undefined) return "none";
  const origin = originOf(address);
  const noted = await readReferrers();
  const isShared = noted.some((each) => each.scope === origin && each.referrer !== referrer);
  const scope = isShared ? address : origin;
  const others = noted.filter((each) => each.jobId !== jobId || each.scope !== scope);
  const all = withoutOldest([...others, { jobId, scope, referrer }], jobId);
  await chrome.storage.session.set({ [REFERRERS]: all });
  return isShared ? "address" : "host";
}

function withoutOldest(all: SentReferrer[], jobId: string): SentReferrer[] {
  const own = all.filter((each) => each.jobId === jobId);
  const hosts = own.filter(isForHost).slice(-MAX_HOSTS);
  const addresses = own.filter((each) => !isForHost(each)).slice(-MAX_ADDRESSES);
  const kept = new Set([...hosts, ...addresses]);
  return all.filter((each) => each.jobId !== jobId || kept.has(each));
}

/** Tells whether it is for all that a host has, and not for one address. */
export function isForHost({ scope }: Pick<SentReferrer, "scope">): boolean {
  return scope === originOf(scope);
}

/** @param jobId nothing for all jobs */
export async function forgetReferrers(jobId?: string): Promise<void> {
  const others = jobId === undefined ? [] : (await readReferrers()).filter((each) => each.jobId !== jobId);
  await chrome.storage.session.set({ [REFERRERS]: others });
}

export async function readReferrers(): Promise<SentReferrer[]> {
  const { [REFERRERS]: stored } = await chrome.storage.session.get(REFERRERS);
  return (stored ?? []) as SentReferrer[];
}
