/** The account's token, as people paste it, or as a function of the caller's returns the current one. */

import { ConnectionError, InputError, isUpcutError } from "../errors/errors.ts";
import { kindOf } from "../errors/unexpected-failure.ts";
import { invalidOption } from "../options/checks.ts";
import { describeValue } from "../redaction/redaction.ts";
import { untilAborted } from "../time/abort.ts";

/**
 * Reads a token as a person pastes it: white space around it and `Bearer ` come off.
 *
 * @throws {InputError} `invalid-option`, without repeating the token.
 */
export function readToken(token: unknown): string {
  if (typeof token !== "string") throw tokenError("it is not a string");
  const clean = token.trim().replace(/^Bearer(?:\s+|$)/i, "");
  if (clean === "") throw tokenError("it is empty");
  if (/[\u0000-\u001f\u007f-\u009f]/.test(clean))
    throw tokenError("it holds a control character or a line break");
  if (/\s/.test(clean)) throw tokenError("it holds white space");
  if (/[^\u0021-\u007e]/.test(clean)) throw tokenError("it holds a character that no header can carry");
  return clean;
}

function tokenError(state: string, advice = ". Paste it again", cause?: unknown): InputError {
  return new InputError("invalid-option", `Cannot use the account token: ${state}${advice}`, { cause });
}

/** Tokens that are remembered as secrets; a function may give a new one each time. */
const MOST_USED = 20;
/** Calls that wait for a token at the same time: no program has more, unless the function calls its own client. */
const MOST_WAITING = 10_000;

export type CurrentToken = (timeout: number, signal?: AbortSignal) => Promise<string>;

/** @param used takes each token that was returned */
export function tokenReader(token: unknown, used: Set<string>): CurrentToken {
  if (typeof token === "string") {
    const only = readToken(token);
    used.add(only);
    return async () => only;
  }
  if (typeof token === "function") {
    const call = onceAtATime(() => token());
    return async (timeout, signal) => {
      const current = await callFor(call, timeout, signal);
      // The token is added anew, so that the one that was used last is the last to be forgotten.
      used.delete(current);
      used.add(current);
      for (const oldest of used) if (used.size > MOST_USED) used.delete(oldest);
      return current;
    };
  }
  // A number may be a token that was not written as a string.
  const found = typeof token === "number" || typeof token === "bigint" ? "a number" : describeValue(token);
  throw invalidOption("create a client", `token is ${found}, expected a string or a function`);
}

/** Keeps a function that asks its own client for something from asking itself without an end. */
function onceAtATime(token: () => unknown): () => Promise<unknown> {
  let running = false;
  let waiting = 0;
  const ask = async () => await token();
  return async () => {
    if (running || waiting >= MOST_WAITING)
      throw tokenError("its function asks the client that asks for it", "");
    running = true;
    waiting++;
    const given = ask();
    running = false;
    return await given.finally(() => waiting--);
  };
}

async function callFor(
  given: () => Promise<unknown>,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  const state = `its function returned none within ${timeout / 1000} s. Nothing was sent`;
  const late = () => new ConnectionError("unreachable", `Cannot use the account token: ${state}`);
  try {
    return readToken(await untilAborted(given(), signal, { milliseconds: timeout, late }));
  } catch (error) {
    signal?.throwIfAborted();
    if (isUpcutError(error)) throw error;
    // The error of the caller's own function may hold the token.
    throw tokenError(`its function failed (${kindOf(error)})`, "", error);
  }
}
