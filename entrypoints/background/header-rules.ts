/**
 * Header rules for the extension's own requests.
 *
 * Some services refuse any request with an Origin header for an ordinary token, and Chromium adds one to an
 * extension's POST and DELETE: the first rule takes it off the calls to the base address, and has none of them meet a
 * connection that was kept, since Chromium asks again by itself where such a one breaks. The others give each upload
 * host the authorization of the account it takes locations of, where that was turned on, so that no page
 * ever holds the token.
 */

import { readToken } from "../../core/validate.ts";
import { readAccount } from "../shared/settings.ts";

const CALL_RULE = 1;
/** Of the first rule with an authorization; the others follow. */
const AUTHORIZATION_RULE = 2;
const HOSTS = "upload-hosts";

/** Upload hosts by their origin, and whose locations they take. */
type UploadHosts = Record<string, { address: string; token: string }>;
type Lasting = { [HOSTS]?: Record<string, string> };

let last: Promise<void> = Promise.resolve();

/** Brings the rules in line with the settings. */
export function refreshHeaderRules(): Promise<void> {
  return inTurn(refresh);
}

/** Remembers the upload hosts of a location that an account was given, for the rules with its authorization. */
export function noteUploadHosts(
  addresses: string[],
  account: { address: string; token: string },
): Promise<void> {
  return inTurn(async () => {
    const { settings } = await readAccount();
    if (!settings.uploadAuthorization) return;
    for (const address of addresses) await remember(new URL(address).origin, account);
    await refresh();
  });
}

/** One after the other, so that the last one knows everything and wins. */
function inTurn(work: () => Promise<void>): Promise<void> {
  last = last.then(work, work);
  return last;
}

async function refresh(): Promise<void> {
  const { settings, token } = await readAccount();
  const { address, uploadAuthorization } = settings;
  const addRules: chrome.declarativeNetRequest.Rule[] = [];
  if (URL.canParse(address)) addRules.push(forCalls(new URL(address).origin));
  const hosts = Object.entries(uploadAuthorization ? await uploadHosts() : {});
  for (const [origin, host] of hosts) {
    // An upload to another service resumes with that service's token, as long as that is remembered.
    const own = host.address === address ? token : host.token;
    if (own !== "") addRules.push(withAuthorization(AUTHORIZATION_RULE + addRules.length, origin, own));
  }
  const present = await chrome.declarativeNetRequest.getSessionRules();
  await chrome.declarativeNetRequest.updateSessionRules({
    removeRuleIds: present.map(({ id }) => id),
    addRules,
  });
}

async function remember(origin: string, account: UploadHosts[string]): Promise<void> {
  const { address } = account;
  const { [HOSTS]: hosts } = await chrome.storage.session.get(HOSTS);
  await chrome.storage.session.set({ [HOSTS]: { ...(hosts as UploadHosts), [origin]: account } });
  // An upload that resumes after a start of the browser requests no location. The token is not kept twice.
  const { [HOSTS]: lasting } = await chrome.storage.local.get<Lasting>(HOSTS);
  if (lasting?.[origin] !== address)
    await chrome.storage.local.set({ [HOSTS]: { ...lasting, [origin]: address } });
}

async function uploadHosts(): Promise<UploadHosts> {
  const { [HOSTS]: lasting = {} } = await chrome.storage.local.get<Lasting>(HOSTS);
  const { [HOSTS]: hosts } = await chrome.storage.session.get(HOSTS);
  const former = Object.entries(lasting).map(
    ([origin, address]) => [origin, { address, token: "" }] as const,
  );
  return { ...Object.fromEntries(former), ...(hosts as UploadHosts) };
}

function forCalls(origin: string): chrome.declarativeNetRequest.Rule {
  return {
    id: CALL_RULE,
    condition: { initiatorDomains: [chrome.runtime.id], urlFilter: `|${origin}/` },
    action: {
      type: "modifyHeaders",
      requestHeaders: [
        { header: "origin", operation: "remove" },
        { header: "connection", operation: "set", value: "close" },
      ],
    },
  };
}

function withAuthorization(id: number, origin: string, token: string): chrome.declarativeNetRequest.Rule {
  return {
    id,
    condition: { initiatorDomains: [chrome.runtime.id], urlFilter: `|${origin}/` },
    action: {
      type: "modifyHeaders",
      requestHeaders: [{ header: "authorization", operation: "set", value: `Bearer ${readToken(token)}` }],
    },
  };
}
