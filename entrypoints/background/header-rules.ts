/**
 * Header rules for the extension's own requests.
 *
 * Some services refuse any request with an Origin header for an ordinary token, and Chromium adds one to an
 * extension's POST and DELETE: the first rule takes it off the calls to the base address. The second gives the
 * upload host the account's authorization where that was turned on, so that no page ever holds the token.
 */

import { readToken } from "../../core/mod.ts";
import { readAccount, readSettings } from "../shared/settings.ts";

const ORIGIN_RULE = 1;
const AUTHORIZATION_RULE = 2;
const HOSTS = "upload-hosts";

/** Brings the rules in line with the settings. */
export async function refreshHeaderRules(): Promise<void> {
  const { settings, token } = await readAccount();
  const { address, uploadAuthorization } = settings;
  const addRules: chrome.declarativeNetRequest.Rule[] = [];
  if (URL.canParse(address)) addRules.push(withoutOrigin(new URL(address).origin));
  const hosts = uploadAuthorization ? await uploadHosts() : [];
  if (hosts.length > 0 && token !== "") addRules.push(withAuthorization(hosts, readToken(token)));
  await chrome.declarativeNetRequest.updateSessionRules({
    removeRuleIds: [ORIGIN_RULE, AUTHORIZATION_RULE],
    addRules,
  });
}

/** Remembers an upload host for the second rule, for as long as the browser runs. */
export async function noteUploadHost(location: string): Promise<void> {
  const { uploadAuthorization } = await readSettings();
  if (!uploadAuthorization) return;
  const { hostname } = new URL(location);
  const hosts = await uploadHosts();
  if (!hosts.includes(hostname)) await chrome.storage.session.set({ [HOSTS]: [...hosts, hostname] });
  await refreshHeaderRules();
}

async function uploadHosts(): Promise<string[]> {
  const { [HOSTS]: hosts } = await chrome.storage.session.get(HOSTS);
  return Array.isArray(hosts) ? hosts : [];
}

function withoutOrigin(origin: string): chrome.declarativeNetRequest.Rule {
  return {
    id: ORIGIN_RULE,
    condition: { initiatorDomains: [chrome.runtime.id], urlFilter: `|${origin}/` },
    action: {
      type: "modifyHeaders",
      requestHeaders: [{ header: "origin", operation: "remove" }],
    },
  };
}

function withAuthorization(hosts: string[], token: string): chrome.declarativeNetRequest.Rule {
  return {
    id: AUTHORIZATION_RULE,
    condition: { initiatorDomains: [chrome.runtime.id], requestDomains: hosts },
    action: {
      type: "modifyHeaders",
      requestHeaders: [{ header: "authorization", operation: "set", value: `Bearer ${token}` }],
    },
  };
}
