/**
 * The account that a command works with: its address and its token, from wherever neither is shown.
 *
 * @module
 */

import { readFile } from "node:fs/promises";
import process from "node:process";
import { type Client, createClient } from "../client.ts";
import { codeOf } from "../system-error.ts";
import { type Arguments, UsageError } from "./arguments.ts";
import { askSecretly, canAsk } from "./prompt.ts";
import { Stopped } from "./stop.ts";

/**
 * Makes a client of what the environment, a file or the person tells.
 *
 * @throws {UsageError} where address or token can't be had.
 */
export async function openAccount({ url, tokenFile }: Arguments): Promise<Client> {
  if (url === undefined)
    throw new UsageError("the service's address is not known: set UPCUT_URL, or give --url");
  const { UPCUT_TERMINATE_PATH } = process.env;
  return createClient({
    baseUrl: url,
    token: await readToken(tokenFile),
    ...(UPCUT_TERMINATE_PATH && { paths: { terminate: UPCUT_TERMINATE_PATH } }),
  });
}

async function readToken(file: string | undefined): Promise<string> {
  const { UPCUT_TOKEN } = process.env;
  if (UPCUT_TOKEN) return UPCUT_TOKEN;
  if (file !== undefined) {
    const text = await readFile(file, "utf8").catch((error: unknown) => {
      throw new UsageError(`the token file can't be read (${codeOf(error) ?? "unknown reason"})`);
    });
    return text.trim();
  }
  if (!canAsk()) throw new UsageError("the token is not known: set UPCUT_TOKEN, or give --token-file");
  const typed = await askSecretly("Token of the account (it is not shown): ");
  if (typed === undefined) throw new Stopped("SIGINT");
  return typed.trim();
}
