/**
 * The account that a command works with: its address and its token, from wherever neither is shown. What the command itself
 * was given comes before the environment, and that before what `login` stored.
 */
import { readFile } from "node:fs/promises";
import process from "node:process";
import { type Client, type ClientOptions, createClient } from "../client.ts";
import { readBaseUrl } from "../service/base-url.ts";
import { codeOf } from "../unexpected-failure.ts";
import type { Arguments } from "./arguments.ts";
import { ask, canAsk } from "./prompt.ts";
import { readStoredAccount, type StoredAccount } from "./stored-account.ts";
import { UsageError } from "./usage-error.ts";

/** Something of an account, and what gave it. */
export interface Known {
  value: string;
  /** Such as "UPCUT_URL". */
  from: string;
}

type Given = Pick<Arguments, "url" | "tokenFile">;

/**
 * Makes a client of what is known, or of the token that is asked for.
 *
 * @throws {UsageError} where address or token can't be had.
 */
export async function openAccount(given: Given): Promise<Client> {
  const url = await addressOf(given);
  const token = await tokenOf(given, url.value);
  if (token === undefined && !canAsk()) throw noToken(url.value);
  return clientOf(url.value, token?.value ?? (await askForToken()));
}

/** The account of what is known, without asking for any; nothing where address or token is missing. */
export async function knownAccount(given: Given): Promise<Client | undefined> {
  const address = await addressOf(given).catch((error: unknown) => {
    if (error instanceof UsageError) return undefined;
    throw error;
  });
  const token = address && (await tokenOf(given, address.value));
  return token && clientOf(address.value, token.value);
}

/** A client, which nothing was asked through. */
export function clientOf(baseUrl: string, token: string, paths?: ClientOptions["paths"]): Client {
  const { UPCUT_TERMINATE_PATH, UPCUT_ASSET_PATH } = process.env;
  const own = { terminate: UPCUT_TERMINATE_PATH || undefined, asset: UPCUT_ASSET_PATH || undefined };
  return createClient({ baseUrl, token, paths: { ...own, ...paths } });
}

/** The service's address. */
export async function addressOf({ url }: Given): Promise<Known> {
  if (url !== undefined) return { value: url, from: "--url" };
  const { UPCUT_URL } = process.env;
  if (UPCUT_URL) return { value: UPCUT_URL, from: "UPCUT_URL" };
  const stored = await readStoredAccount();
  if (stored !== undefined) return { value: stored.url, from: "upcut login" };
  throw new UsageError("the service's address is not known: run upcut login, set UPCUT_URL, or give --url");
}

/** The token for an address; `undefined` where none is known. */
export async function tokenOf({ tokenFile }: Given, url: string): Promise<Known | undefined> {
  if (tokenFile !== undefined) return { value: await readTokenFile(tokenFile), from: "--token-file" };
  const { UPCUT_TOKEN, UPCUT_TOKEN_FILE } = process.env;
  if (UPCUT_TOKEN) return { value: UPCUT_TOKEN, from: "UPCUT_TOKEN" };
  if (UPCUT_TOKEN_FILE) return { value: await readTokenFile(UPCUT_TOKEN_FILE), from: "UPCUT_TOKEN_FILE" };
  const stored = await readStoredAccount();
  return stored && isFor(stored, url) ? { value: stored.token, from: "upcut login" } : undefined;
}

/** Says that no token is known, and what to do; what was stored for another address isn't. */
export function noToken(url: string): UsageError {
  const href = readBaseUrl(url);
  return new UsageError(
    `no token is known for ${href}: run upcut login, set UPCUT_TOKEN, or give --token-file`,
  );
}

/** A stored token goes to the address that it was stored with, and to no other. */
function isFor(stored: StoredAccount, url: string): boolean {
  return readBaseUrl(url) === readBaseUrl(stored.url);
}

/** The token that a file holds. */
export async function readTokenFile(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UsageError(`the token file can't be read (${codeOf(error) ?? "unknown reason"})`);
  });
  return text.trim();
}

/** The token that a person types. */
export async function askForToken(): Promise<string> {
  return await ask("Token of the account (it is not shown): ", "secret");
}
