/**
 * Header rules for the extension's own requests, each for as few of them as it can be.
 *
 * Some services refuse any request with an Origin header for an ordinary token, and Chromium adds one to an
 * extension's POST and DELETE: the first rule takes it off the calls to the base address, and has none of them meet a
 * connection that was kept, since Chromium asks again by itself where such a one breaks. The others give the requests
 * of running uploads the authorization of their account, where that was turned on, so that no page ever holds the
 * token: each rule is for one whole address and the methods of the upload there, so that a video that is read from the
 * same host never goes with it. The last ones give the requests for pieces of a video the referrer that its page sends.
 */

import { readToken } from "../../core/extension.ts";
import { IS_FIREFOX } from "../shared/is-firefox.ts";
import { isRefused } from "../shared/is-refused.ts";
import type { ReferrerScope, UploadTarget } from "../shared/messages.ts";
import { readAccount, readManaged } from "../shared/settings.ts";
import { createTurns } from "../shared/turns.ts";
import { originOf } from "../shared/web-address.ts";
import * as referrers from "./referrers.ts";
import * as authorization from "./upload-authorization.ts";

const CALL_RULE = 1;
const CACHE_RULE = 2;
/** Of the first rule with an authorization; the others follow. */
const AUTHORIZATION_RULE = 3;

/** One change after the other, so that the last one knows everything and wins. */
const inTurn = createTurns(1);
/** The rules that this worker has set: they end with the browser, and so does the worker. */
let present = "";
let madeFor = "";

export function refreshHeaderRules(): Promise<void> {
  return change(async () => {});
}

/** Has the rules of an account stand before its first call: session rules are gone after a start of the browser. */
export async function ensureHeaderRules(account: authorization.SetAccount): Promise<void> {
  if (madeFor !== keyOf(account)) await refreshHeaderRules();
}

function keyOf({ settings: { address, uploadAuthorization }, token }: authorization.SetAccount): string {
  return JSON.stringify([address, uploadAuthorization, token]);
}

export function noteUploadHosts(addresses: string[], account: authorization.SetAccount): Promise<void> {
  const note = () => authorization.rememberUploadHosts(addresses, account);
  // Without the authorization no rule depends on the hosts.
  return account.settings.uploadAuthorization ? change(note) : inTurn(note);
}

export async function authorizeUpload(
  jobId: string,
  upload: { address: string; account?: string | undefined; targets: UploadTarget[] },
): Promise<void> {
  await readManaged();
  await change(() => authorization.noteUpload(jobId, upload));
}

export async function sendReferrer(jobId: string, address: string, page: string): Promise<ReferrerScope> {
  let scope: ReferrerScope = "none";
  await change(async () => {
    scope = await referrers.noteReferrer(jobId, address, page);
  });
  return scope;
}

/** Ends both: of one job, or of all that an earlier offscreen document left. */
export function endHeaders(jobId?: string): Promise<void> {
  return change(async () => {
    await authorization.forgetUploads(jobId);
    await referrers.forgetReferrers(jobId);
  });
}

function change(work: () => Promise<void>): Promise<void> {
  return inTurn(async () => {
    await work();
    await refresh();
  });
}

async function refresh(): Promise<void> {
  const account = await readAccount();
  madeFor = "";
  const addRules: chrome.declarativeNetRequest.Rule[] = [];
  const origin = originOf(account.settings.address);
  if (origin !== "") addRules.push(forCalls(origin));
  if (IS_FIREFOX) addRules.push(keptOutOfCache());
  // The stored value may be no token.
  for (const request of await authorization.authorizedRequests(account))
    if (!isRefused(() => readToken(request.token)))
      addRules.push(withAuthorization(AUTHORIZATION_RULE + addRules.length, request));
  for (const sent of await referrers.readReferrers())
    addRules.push(withReferrer(AUTHORIZATION_RULE + addRules.length, sent));
  const wanted = JSON.stringify(addRules);
  if (wanted !== present) {
    present = "";
    const former = await chrome.declarativeNetRequest.getSessionRules();
    await chrome.declarativeNetRequest.updateSessionRules({
      removeRuleIds: former.map(({ id }) => id),
      addRules,
    });
    present = wanted;
  }
  madeFor = keyOf(account);
}

/** For requests of the extension itself, and of none of its pages in a tab: popup and worker are in no tab. */
function ruleFor(
  id: number,
  condition: chrome.declarativeNetRequest.RuleCondition,
  ...requestHeaders: chrome.declarativeNetRequest.ModifyHeaderInfo[]
): chrome.declarativeNetRequest.Rule {
  const own: chrome.declarativeNetRequest.RuleCondition = {
    // In Firefox another name than the extension's id.
    initiatorDomains: [location.host],
    tabIds: [chrome.tabs.TAB_ID_NONE],
    resourceTypes: ["xmlhttprequest"],
  };
  return { id, condition: { ...own, ...condition }, action: { type: "modifyHeaders", requestHeaders } };
}

function set(header: string, value: string): chrome.declarativeNetRequest.ModifyHeaderInfo {
  return { header, operation: "set", value };
}

function forCalls(origin: string): chrome.declarativeNetRequest.Rule {
  const condition = { requestMethods: ["post" as const, "delete" as const], urlFilter: `|${origin}/` };
  return ruleFor(CALL_RULE, condition, { header: "origin", operation: "remove" }, set("connection", "close"));
}

/** An XMLHttpRequest can't say itself that nothing of it is to be kept. */
function keptOutOfCache(): chrome.declarativeNetRequest.Rule {
  return ruleFor(CACHE_RULE, { requestMethods: ["post", "patch", "head"] }, set("cache-control", "no-store"));
}

function withAuthorization(
  id: number,
  { url, methods: requestMethods, token }: authorization.AuthorizedRequest,
): chrome.declarativeNetRequest.Rule {
  const urlFilter = `|${wholeAddress(url)}|`;
  const condition = { requestMethods, urlFilter, isUrlFilterCaseSensitive: true };
  return ruleFor(id, condition, set("authorization", `Bearer ${readToken(token)}`));
}

function withReferrer(
  id: number,
  { scope, referrer }: referrers.SentReferrer,
): chrome.declarativeNetRequest.Rule {
  const isForHost = referrers.isForHost({ scope });
  const urlFilter = isForHost ? `|${scope}/` : `|${wholeAddress(scope)}|`;
  const condition = { requestMethods: ["get" as const], urlFilter, isUrlFilterCaseSensitive: true };
  // An address of its own counts for more than its host.
  return { ...ruleFor(id, condition, set("referer", referrer)), priority: isForHost ? 1 : 2 };
}

/** An address as a filter for itself: a star would stand for anything, the other sign for one such sign. */
function wholeAddress(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search}`.replaceAll("*", "^");
}
