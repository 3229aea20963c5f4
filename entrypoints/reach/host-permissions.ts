/** Which hosts the browser lets the extension reach: the one place that asks it, gives them back, and hears of changes. */

import { isOwnNetwork } from "../../core/extension.ts";
import { IS_FIREFOX } from "../shared/is-firefox.ts";

function hostPattern(address: string): string {
  const { protocol, hostname } = new URL(address);
  return `${protocol}//${hostname}/*`;
}

/** Tells whether an address may be reached. Any address of the host will do, a secret one too: only its origin counts. */
export async function isHostAllowed(address: string): Promise<boolean> {
  return await isAllowed([address]);
}

/** The same of several addresses, and of what else has to be allowed. */
export async function isAllowed(
  addresses: string[],
  permissions: chrome.runtime.ManifestPermission[] = [],
): Promise<boolean> {
  return await chrome.permissions.contains({ origins: addresses.map(hostPattern), permissions });
}

/** Tells whether a person's click on a page lets us read an origin: that of the page. In Firefox only scripts in it may. */
export function isOpenedByClick(origin: string, pageOrigin: string): boolean {
  return !IS_FIREFOX && origin === pageOrigin;
}

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

/** Set by the popup alone: it is the page that a question may end, whichever part of it asks. */
let beforeQuestion: () => () => void = () => () => {};

/**
 * Has a function called right before the browser asks the person, and what it returns after that. The browser's
 * question may end the page before that.
 */
export function watchQuestions(watch: () => () => void): void {
  beforeQuestion = watch;
}

/**
 * Asks the person to allow hosts, all in one question. Must be called within the click, before anything is awaited:
 * then alone the browser asks.
 *
 * @param permissions asked for in the same question
 */
export async function requestHosts(
  addresses: string[],
  permissions: chrome.runtime.ManifestPermission[] = [],
): Promise<boolean> {
  const origins = [...new Set(addresses.map(hostPattern))];
  const afterAnswer = beforeQuestion();
  return await chrome.permissions
    .request({ origins, permissions })
    .catch(() => false)
    .finally(afterAnswer);
}

/** Allowed with the hosts of videos, without a question of its own. */
const WITH_HOSTS = "webRequest";

/**
 * Asks to read videos from their hosts, and to be told where they redirect to: that makes the browser warn of nothing
 * more, and without an address it asks nothing.
 */
export function requestReading(addresses: string[]): Promise<boolean> {
  return requestHosts(addresses, [WITH_HOSTS]);
}

/** Gives all hosts back, with what was allowed beside them. */
export async function forgetHosts(): Promise<void> {
  const { origins = [], permissions = [] } = await chrome.permissions.getAll();
  const given = { origins, permissions: permissions.filter((each) => each === WITH_HOSTS) };
  if (given.origins.length + given.permissions.length > 0) await chrome.permissions.remove(given);
}

/** Tells of hosts, and of whatever else can be allowed: the browser has one event for both. */
export function onHostsChanged({ onAdded, onRemoved }: { onAdded(): void; onRemoved?(): void }): void {
  chrome.permissions.onAdded.addListener(onAdded);
  if (onRemoved !== undefined) chrome.permissions.onRemoved.addListener(onRemoved);
}
