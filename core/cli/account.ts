/**
 * The account that a command works with: its address and its token, from wherever neither is shown. What the command itself
 * was given comes before the environment, and that before what `login` stored.
 */
import { readFile } from "node:fs/promises";
import process from "node:process";
import { type Client, createClient } from "../client.ts";
import { type ErrorCode, errorFromRecord, isUpcutError, type UpcutError } from "../errors.ts";
import { readBaseUrl } from "../service/base-url.ts";
import { codeOf } from "../unexpected-failure.ts";
import type { Arguments } from "./arguments.ts";
import { ask, canAsk } from "./prompt.ts";
import { readStoredAccount } from "./stored-account.ts";
import { UsageError } from "./usage-error.ts";

interface Known {
  value: string;
  /** Such as "UPCUT_URL". */
  from: string;
}

type Given = Pick<Arguments, "url" | "tokenFile">;

/** @throws {UsageError} where address or token can't be had. */
export async function openAccount(given: Given): Promise<Client> {
  const { value: url } = await addressOf(given);
  const token = await tokenOf(given, url);
  if (token === undefined && !canAsk()) throw noToken(url);
  return clientOf(url, token?.value ?? (await askForToken()));
}

export async function knownAccount(given: Given): Promise<Client | undefined> {
  const address = await knownAddress(given);
  const token = address && (await tokenOf(given, address.value));
  return token && clientOf(address.value, token.value);
}

/** A client, which nothing was asked through. */
export function clientOf(baseUrl: string, token: string, terminate?: string): Client {
  const { UPCUT_TERMINATE_PATH, UPCUT_ASSET_PATH } = process.env;
  const paths = {
    terminate: terminate ?? (UPCUT_TERMINATE_PATH || undefined),
    asset: UPCUT_ASSET_PATH || undefined,
  };
  return createClient({ baseUrl, token, paths });
}

export async function addressOf(given: Given): Promise<Known> {
  const known = await knownAddress(given);
  if (known !== undefined) return known;
  throw new UsageError("the service's address is not known: run upcut login, set UPCUT_URL, or give --url");
}

async function knownAddress({ url }: Given): Promise<Known | undefined> {
  if (url !== undefined) return { value: url, from: "--url" };
  const { UPCUT_URL } = process.env;
  if (UPCUT_URL) return { value: UPCUT_URL, from: "UPCUT_URL" };
  const stored = await readStoredAccount();
  return stored && { value: stored.url, from: "upcut login" };
}

/** The token for an address; one that was stored with another address is not for it. */
export async function tokenOf({ tokenFile }: Given, url: string): Promise<Known | undefined> {
  if (tokenFile !== undefined) return { value: await readTokenFile(tokenFile), from: "--token-file" };
  const { UPCUT_TOKEN, UPCUT_TOKEN_FILE } = process.env;
  if (UPCUT_TOKEN) return { value: UPCUT_TOKEN, from: "UPCUT_TOKEN" };
  if (UPCUT_TOKEN_FILE) return { value: await readTokenFile(UPCUT_TOKEN_FILE), from: "UPCUT_TOKEN_FILE" };
  const stored = await readStoredAccount();
  if (stored === undefined || readBaseUrl(url) !== readBaseUrl(stored.url)) return undefined;
  return { value: stored.token, from: "upcut login" };
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

export async function askForToken(): Promise<string> {
  return await ask("Token of the account (it is not shown): ", "secret");
}

/** The outcome of a check, and the path by which it could be made where that isn't the one that is set. */
export interface CheckedAccount {
  check:
    | "accepted"
    /** The service knows the token, and doesn't let it end streams: uploads may be allowed all the same. */
    | "limited"
    /** It answered in a way that says nothing of the token. */
    | "unknown";
  path?: string;
}

/** Services have the call with the prefix of their other call, too, though their interface names it without. */
const OTHER_PATH = "/api/stream/{id}/terminate";

/** Errors that say as much as a success. */
const MEANINGS: Partial<Record<ErrorCode, CheckedAccount["check"]>> = {
  "not-found": "accepted",
  forbidden: "limited",
  "origin-refused": "limited",
  "wrong-address": "unknown",
  "rate-limited": "unknown",
  rejected: "unknown",
  "service-error": "unknown",
  "unexpected-answer": "unknown",
};

/** Checks address and token by a call that changes nothing. */
export async function checkAccount(url: string, token: string, signal: AbortSignal): Promise<CheckedAccount> {
  const check = await checkWith(clientOf(url, token), signal);
  if (check !== "unknown") return { check };
  const other = await checkWith(clientOf(url, token, OTHER_PATH), signal);
  return other === "unknown" ? { check } : { check: other, path: OTHER_PATH };
}

/**
 * Checks by the client's own path: asks the service to end a stream that nobody can have. Where the token is right, the
 * service says that it doesn't know that stream.
 */
export async function checkWith(client: Client, signal?: AbortSignal): Promise<CheckedAccount["check"]> {
  try {
    await client.terminateStream(`upcut-check-${crypto.randomUUID()}`, { signal });
    // It ends what isn't there: other services' success.
    return "accepted";
  } catch (error) {
    if (!isUpcutError(error)) throw error;
    const meaning = MEANINGS[error.code];
    if (meaning === undefined) throw ofCheck(error);
    return meaning;
  }
}

/** The error in the words of a check: nobody wanted to end a stream. */
function ofCheck(error: UpcutError): UpcutError {
  const message = error.message
    .replace(/^Cannot terminate the stream session/, "Cannot check the account")
    .replace(/\. The session may have ended.*$/, "");
  return errorFromRecord({ ...error.toJSON(), message });
}
