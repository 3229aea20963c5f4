/**
 * Which requests of running uploads get an account's authorization: what the header rules are made of.
 *
 * A token goes to the hosts that its own service named in a location, and to no other, whatever address an upload host
 * gives an upload.
 */
import * as v from "valibot";
import { knownAccount } from "../shared/known-account.ts";
import type { UploadTarget } from "../shared/messages.ts";
import { entryOf, without } from "../shared/record.ts";
import type { Account } from "../shared/settings.ts";
import { originOf } from "../shared/web-address.ts";

/** Origins of upload hosts by the address of the service that named them. Lasts: an upload resumes without a location. */
const HOSTS = "upload-hosts";
/** Tokens that were replaced in the options while uploads with them run, by the id of their account. */
const TOKENS = "account-tokens";
/** Requests of running uploads by their job. */
const UPLOADS = "authorized-uploads";
/** Upload hosts that are remembered of a service: its latest. */
const MAX_HOSTS = 50;

export type SetAccount = Pick<Account, "settings" | "token">;

export interface AuthorizedRequest extends UploadTarget {
  token: string;
}

const METHODS = ["post", "put", "head", "patch", "delete"] as const;
const target = v.object({ url: v.string(), methods: v.array(v.picklist(METHODS)) });
const upload = v.object({
  address: v.string(),
  account: v.optional(v.string()),
  targets: v.array(target),
});

export async function rememberUploadHosts(
  addresses: string[],
  { settings, token }: SetAccount,
): Promise<void> {
  const { address } = settings;
  const hosts = await readEntries("local", HOSTS, v.array(v.string()));
  const known = entryOf(hosts, address) ?? [];
  const all = [...new Set([...known, ...addresses.map(originOf)])].slice(-MAX_HOSTS);
  if (all.length !== known.length) await chrome.storage.local.set({ [HOSTS]: { ...hosts, [address]: all } });
  if (!settings.uploadAuthorization) return;
  const tokens = await readEntries("session", TOKENS, v.string());
  const { id = address } = (await knownAccount({ settings, token })) ?? {};
  await chrome.storage.session.set({ [TOKENS]: { ...tokens, [id]: token } });
}

export async function noteUpload(jobId: string, running: v.InferOutput<typeof upload>): Promise<void> {
  const uploads = await readEntries("session", UPLOADS, upload);
  await chrome.storage.session.set({ [UPLOADS]: { ...uploads, [jobId]: running } });
}

/** @param jobId nothing for all jobs */
export async function forgetUploads(jobId?: string): Promise<void> {
  const uploads = jobId === undefined ? {} : await readEntries("session", UPLOADS, upload);
  await chrome.storage.session.set({ [UPLOADS]: without(uploads, jobId ?? "") });
}

/** Reads the tokens of accounts that were replaced while uploads with them run. */
export async function rememberedTokens(): Promise<string[]> {
  return Object.values(await readEntries("session", TOKENS, v.string()));
}

export async function forgetAuthorizedHosts(): Promise<void> {
  await chrome.storage.local.remove(HOSTS);
  await chrome.storage.session.remove(TOKENS);
}

export async function authorizedRequests({ settings, token }: SetAccount): Promise<AuthorizedRequest[]> {
  if (!settings.uploadAuthorization) return [];
  const hosts = await readEntries("local", HOSTS, v.array(v.string()));
  const tokens = await readEntries("session", TOKENS, v.string());
  const uploads = Object.values(await readEntries("session", UPLOADS, upload));
  const current = await knownAccount({ settings, token });
  const requests: AuthorizedRequest[] = [];
  for (const { address, account, targets } of uploads) {
    const isCurrent = account === undefined ? address === settings.address : account === current?.id;
    // An upload of another account resumes with that one's token, as long as that is remembered.
    const own = isCurrent ? token : (entryOf(tokens, account ?? address) ?? "");
    // The account may be of another service by now, whose token the hosts of this one must not get.
    const atAddress = await knownAccount({ settings: { ...settings, address }, token: own });
    if (own === "" || (account !== undefined && atAddress?.id !== account)) continue;
    const named = targets.filter(({ url }) => entryOf(hosts, address)?.includes(originOf(url)));
    requests.push(...named.map((each) => ({ ...each, token: own })));
  }
  return requests;
}

/** Reads entries stored under a name, without those of another form. */
async function readEntries<Entry>(
  area: "local" | "session",
  key: string,
  schema: v.GenericSchema<unknown, Entry>,
): Promise<Record<string, Entry>> {
  const { [key]: stored } = await chrome.storage[area].get(key);
  const all = v.parse(v.fallback(v.record(v.string(), v.unknown()), {}), stored);
  const sound = new Map<string, Entry>();
  for (const [name, value] of Object.entries(all)) if (v.is(schema, value)) sound.set(name, value as Entry);
  return Object.fromEntries(sound);
}
