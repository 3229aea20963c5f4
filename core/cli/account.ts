/**
 * The account that a command works with: its address and its token, from wherever neither is shown. What the command itself
 * was given comes before the environment, and that before what `login` stored.
 */
import { readFile } from "node:fs/promises";
import { type Client, createClient } from "../client.ts";
import { variable } from "../disk/system.ts";
import { codeOf } from "../errors/unexpected-failure.ts";
import type { RequestHooks } from "../http/observe.ts";
import { readBaseUrl } from "../service/base-url.ts";
import type { Arguments } from "./arguments.ts";
import { ask } from "./prompt.ts";
import { readStoredAccount, type StoredPaths, storeAccount } from "./stored-account.ts";
import { UsageError } from "./usage-error.ts";

interface Known {
  value: string;
  /** The place that it was found at, such as "UPCUT_URL". */
  from: string;
}

type Given = Pick<Arguments, "url" | "tokenFile">;

/** @throws {UsageError} where address or token can't be had. */
export async function openClient(given: Given, hooks: RequestHooks = {}): Promise<Client> {
  const { value: url } = await addressOf(given);
  const token = (await tokenOf(given, url))?.value ?? (await askForToken());
  if (token === undefined) throw noToken(url);
  return await clientOf(url, token, undefined, hooks);
}

export async function knownAccount(given: Given): Promise<Client | undefined> {
  const address = await knownAddress(given);
  const token = address && (await tokenOf(given, address.value));
  return token && (await clientOf(address.value, token.value));
}

/** A client of an address: the paths of the environment come before the ones that were found there. */
export async function clientOf(
  baseUrl: string,
  token: string,
  found?: StoredPaths,
  { onResponse }: RequestHooks = {},
): Promise<Client> {
  // A stored account that can't be read is told of where it is needed.
  const { terminate, asset } = found ?? (await storedAt(baseUrl).catch(() => undefined))?.paths ?? {};
  const paths = {
    terminate: variable("UPCUT_TERMINATE_PATH") || terminate,
    asset: variable("UPCUT_ASSET_PATH") || asset,
  };
  return createClient({ baseUrl, token, paths, onResponse });
}

/** Keeps where the service has the call that ends streams, if its account is stored. */
export async function keepEndPath(given: Given, terminate: string | undefined): Promise<void> {
  const stored = await storedAt((await addressOf(given)).value);
  if (stored !== undefined) await storeAccount({ ...stored, paths: { ...stored.paths, terminate } });
}

/** The account that `login` stored, where it is of an address. */
async function storedAt(url: string) {
  const stored = await readStoredAccount();
  return stored !== undefined && readBaseUrl(url) === readBaseUrl(stored.url) ? stored : undefined;
}

export async function addressOf(given: Given): Promise<Known> {
  const known = await knownAddress(given);
  if (known !== undefined) return known;
  throw new UsageError("the service's address is not known: run upcut login, set UPCUT_URL, or give --url");
}

async function knownAddress({ url }: Given): Promise<Known | undefined> {
  if (url !== undefined) return { value: url, from: "--url" };
  const fromVariable = variable("UPCUT_URL");
  if (fromVariable) return { value: fromVariable, from: "UPCUT_URL" };
  const stored = await readStoredAccount();
  return stored && { value: stored.url, from: "upcut login" };
}

/** The token for an address; one that was stored with another address is not for it. */
export async function tokenOf({ tokenFile }: Given, url: string): Promise<Known | undefined> {
  if (tokenFile !== undefined) return { value: await readTokenFile(tokenFile), from: "--token-file" };
  const token = variable("UPCUT_TOKEN");
  if (token) return { value: token, from: "UPCUT_TOKEN" };
  const file = variable("UPCUT_TOKEN_FILE");
  if (file) return { value: await readTokenFile(file), from: "UPCUT_TOKEN_FILE" };
  const stored = await storedAt(url);
  return stored && { value: stored.token, from: "upcut login" };
}

export function noToken(url: string): UsageError {
  const href = readBaseUrl(url);
  return new UsageError(
    `no token is known for ${href}: run upcut login, set UPCUT_TOKEN, or give --token-file`,
  );
}

export async function readTokenFile(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UsageError(`the token file can't be read (${codeOf(error) ?? "unknown reason"})`);
  });
  return text.trim();
}

/** @returns `undefined` where there is no terminal to ask on */
export async function askForToken(): Promise<string | undefined> {
  return await ask("Token of the account (it is not shown): ", "secret");
}
