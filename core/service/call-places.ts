/** Where a service has its calls: at the documented paths, or beside the call that asks for locations. */
import { errorFacts } from "../errors/error-codes.ts";
import { isUpcutError, type UpcutError } from "../errors/errors.ts";
import { type AccountAnswer, type Call, describePage, parseAnswer, unexpectedAnswer } from "./calls.ts";
import type { Paths } from "./paths.ts";

export interface CallOptions {
  signal?: AbortSignal | undefined;
  timeout?: number | undefined;
}

/** The calls of a client, for whoever asks more than it tells. */
export interface AccountCalls {
  baseUrl: string;
  paths: Paths;
  /** Places where calls may be whose paths weren't given, until the service has shown that they are there. */
  others: { terminate?: string; asset?: string };
  ask(call: Call, options: CallOptions): Promise<AccountAnswer>;
  /** The tokens that were sent. */
  secrets(): string[];
  /** Has the token read, so that it is among those. */
  readToken(): Promise<unknown>;
}

/** The refusal of a call; `undefined` where it was carried out. */
export type Refusal = UpcutError | undefined;

export async function askForRefusal(
  { ask }: AccountCalls,
  call: Call,
  options: CallOptions,
): Promise<Refusal> {
  try {
    const answer = await ask(call, options);
    const { status, text } = answer;
    if (call.pathName !== "terminate") parseAnswer(answer);
    else if (status !== 204) {
      const state = `the service answered ${status}${describePage(text)} where 204 was expected`;
      throw unexpectedAnswer(answer, `${state}. ${call.lost.state}; check baseUrl and paths.terminate`);
    }
    return undefined;
  } catch (error) {
    if (!isUpcutError(error)) throw error;
    return error;
  }
}

/** Words by which a service that doesn't know a stream shows that it has the call which ends streams. */
const OF_STREAMS = /\b(?:stream|session|account)/i;

/** False for a 404 that may come from a path where there is no call: it has ended nothing. */
export function knowsStreams({ code, details = [] }: UpcutError): boolean {
  if (code === "wrong-address") return false;
  return code !== "not-found" || details.some((each) => OF_STREAMS.test(each));
}

/** Milliseconds for each question after the first. */
export const LATER_TIMEOUT = 4_000;

/**
 * True if a call that told something is there. Some services say the same of a path that they don't have as of a stream
 * that they don't know. So it is asked again without the token: where that changes the answer, the path is there.
 */
export async function isThere(
  calls: AccountCalls,
  call: Call,
  told: Refusal,
  options: CallOptions,
): Promise<boolean> {
  if (told?.code === "not-found" && knowsStreams(told)) return true;
  const isUnheard = (each: Refusal) => each?.name === "ConnectionError" || isElsewhere(each);
  if (isUnheard(told)) return false;
  const bare = await askForRefusal(calls, { ...call, isBare: true }, { ...options, timeout: LATER_TIMEOUT });
  if (bare?.code === "unauthorized") return true;
  const isOpen = (each: Refusal) =>
    each?.retryable === true || each?.code === "unauthorized" || isUnheard(each);
  return !isOpen(told) && !isOpen(bare) && wordsOf(told) !== wordsOf(bare);
}

/** True where something else answered than the call. */
export function isElsewhere(told: Refusal): boolean {
  return told !== undefined && errorFacts(told.code).next === "check-address";
}

/** Code and words of a refusal, but for those with a digit: the number of a request, or a time, differs in each answer. */
function wordsOf(told: Refusal): string {
  return [told?.code, ...(told?.details ?? [])].join("\n").replace(/\S*\d\S*/g, "");
}
