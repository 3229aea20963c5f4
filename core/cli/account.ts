/**
 * The account that a command works with: its address and its token, from wherever neither is shown. What the command itself
 * was given comes before the environment.
 *
 * @module
 */

import { readFile } from "node:fs/promises";
import process from "node:process";
import { type Client, createClient } from "../client.ts";
import { codeOf } from "../system-error.ts";
import type { Arguments } from "./arguments.ts";
import { askSecretly, canAsk } from "./prompt.ts";
import { Stopped } from "./stop.ts";
import { UsageError } from "./usage-error.ts";

type Given = Pick<Arguments, "url" | "tokenFile">;

/**
 * Makes a client of what is known, or of the token that is asked for.
 *
 * @throws {UsageError} where address or token can't be had.
 */
export async function openAccount({ url: given, tokenFile }: Given): Promise<Client> {
  const { UPCUT_URL, UPCUT_TERMINATE_PATH } = process.env;
  const baseUrl = given ?? (UPCUT_URL || undefined);
  if (baseUrl === undefined)
    throw new UsageError("the service's address is not known: set UPCUT_URL, or give --url");
  return createClient({
    baseUrl,
    token: await readToken(tokenFile),
    ...(UPCUT_TERMINATE_PATH && { paths: { terminate: UPCUT_TERMINATE_PATH } }),
  });
}

async function readToken(given: string | undefined): Promise<string> {
  if (given !== undefined) return await readTokenFile(given);
  const { UPCUT_TOKEN, UPCUT_TOKEN_FILE } = process.env;
  if (UPCUT_TOKEN) return UPCUT_TOKEN;
  if (UPCUT_TOKEN_FILE) return await readTokenFile(UPCUT_TOKEN_FILE);
  if (!canAsk()) throw new UsageError("the token is not known: set UPCUT_TOKEN, or give --token-file");
  const typed = await askSecretly("Token of the account (it is not shown): ");
  if (typed === undefined) throw new Stopped("SIGINT");
  return typed.trim();
}

async function readTokenFile(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UsageError(`the token file can't be read (${codeOf(error) ?? "unknown reason"})`);
  });
  return text.trim();
}
