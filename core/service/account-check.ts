/**
 * Finds out whether a service takes an account's token, and where it has its calls, by calls that change nothing: to end a
 * stream and to read an asset that nobody can have.
 *
 * Some services say the same of a path that they don't have as of a stream that they don't know. So each question is asked
 * again without the token: where that changes the answer, the path is there, and the service took the token.
 */
import type { Client } from "../client.ts";
import { type ErrorCode, errorFromRecord, isUpcutError, ServiceError, type UpcutError } from "../errors.ts";
import { isHtmlPage } from "../http/html.ts";
import { originOf } from "../redaction/redaction.ts";
import { callsOf, LATER_TIMEOUT } from "./account.ts";
import {
  type Call,
  getAssetCall,
  knowsStreams,
  requestUploadCall,
  terminateCall,
  unexpectedAnswer,
} from "./calls.ts";
import { pathsBeside } from "./paths.ts";

/** The meaning of the answers: of the token, and of the paths. */
export interface AccountCheck {
  token:
    | "accepted"
    /** The service knows the token, and doesn't let it end streams: uploads may be allowed all the same. */
    | "limited"
    /** Nothing tells what the service says of the token. */
    | "unknown";
  /** Where the service has calls that the client's paths don't lead to. */
  paths: { terminate?: string | undefined; asset?: string | undefined };
  /** True if a call that ends streams was found. */
  endsStreams: boolean;
  /** The refusal by which the token is limited or unknown. */
  error?: UpcutError;
}

/**
 * Checks an account by up to seven questions, of which the first has the client's own time.
 *
 * @throws {UpcutError} where the service can't be reached, refuses the token, or has none of the calls (`wrong-address`)
 */
export async function checkAccount(
  client: Client,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<AccountCheck> {
  const { baseUrl, paths, otherEnd, ask } = callsOf(client);
  const later = { ...options, timeout: LATER_TIMEOUT };
  const id = `upcut-check-${crypto.randomUUID()}`;

  async function refusalOf(call: Call, how: object, isBare = false): Promise<Refusal> {
    try {
      const answer = await ask(call, how, isBare);
      if (answer.status !== 204) throw unexpectedAnswer(answer, `the service answered ${answer.status}`);
      return undefined;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!isUpcutError(error)) throw error;
      return inWordsOfCheck(error);
    }
  }
  async function isTakenAtAll(call: Call): Promise<boolean> {
    try {
      return !isHtmlPage((await ask(call, later, true)).text);
    } catch (error) {
      options.signal?.throwIfAborted();
      return !isUpcutError(error) || !isNowhere(error);
    }
  }
  /** Asks with the token, unless it is known what is told then, and without. */
  async function probe(
    call: Call,
    told = refusalOf(call, later),
  ): Promise<{ told: Refusal; isTaken: boolean }> {
    const [given, bare] = await Promise.all([told, refusalOf(call, later, true)]);
    return { told: given, isTaken: isTaken(given, bare) };
  }

  const end = terminateCall(paths.terminate, id);
  const first = await refusalOf(end, options);
  if (first !== undefined && ENDS.includes(first.code)) throw first;
  const isSure = first?.code === "not-found" && knowsStreams(first);
  const { asset: besides } = paths.asset === undefined ? pathsBeside(paths.requestUpload) : {};
  const [atFirst, atOther, asset] = await Promise.all([
    isSure ? { told: first, isTaken: true } : probe(end, Promise.resolve(first)),
    isSure || otherEnd === undefined || otherEnd === paths.terminate
      ? undefined
      : probe(terminateCall(otherEnd, id)),
    besides === undefined ? undefined : probe(getAssetCall(besides, id)),
  ]);
  const found = [atFirst, atOther].find((each) => each?.isTaken);
  const check = {
    paths: {
      ...(found !== undefined && found === atOther && { terminate: otherEnd }),
      ...(asset?.isTaken && asset.told?.code === "asset-not-found" && { asset: besides }),
    },
    endsStreams: found !== undefined,
  };
  if (found !== undefined) return { ...check, ...meaningOf(found.told) };
  if (asset?.isTaken) return { ...check, token: "accepted" };
  const told = [first, atOther?.told, asset?.told];
  const refused = told.find((each) => each?.code === "unauthorized");
  if (refused !== undefined) throw refused;
  // A service takes no request without a token, so that nothing is made by this one.
  const { body: _, ...asking } = requestUploadCall(paths, {});
  const isKnown = (atOther === undefined || isNowhere(atOther.told)) && isNowhere(first);
  if (isKnown && !(await isTakenAtAll(asking))) throw noService(baseUrl, first);
  return { ...check, token: "unknown", ...(first && { error: first }) };
}

/** The refusal of a call; `undefined` where it was carried out. */
type Refusal = UpcutError | undefined;

const ENDS: ErrorCode[] = ["unreachable", "terminate-unknown", "unauthorized", "redirected"];

/** Answers of something else than the call, or none. */
const NO_ANSWERS: ErrorCode[] = [...ENDS, "unanswered", "wrong-address", "unexpected-answer"];

function isTaken(told: Refusal, bare: Refusal): boolean {
  const isAnswer = (each: Refusal) => each === undefined || !NO_ANSWERS.includes(each.code);
  if (!isAnswer(told)) return false;
  const isSettled = isAnswer(bare) && bare?.retryable !== true && told?.retryable !== true;
  return bare?.code === "unauthorized" || (isSettled && wordsOf(told) !== wordsOf(bare));
}

function wordsOf(told: Refusal): string {
  return [told?.code, ...(told?.details ?? [])].join("\n");
}

function meaningOf(told: Refusal): Pick<AccountCheck, "token" | "error"> {
  if (told?.code === "forbidden" || told?.code === "origin-refused") return { token: "limited", error: told };
  return told?.retryable === true ? { token: "unknown", error: told } : { token: "accepted" };
}

/** True if what answered doesn't have the call. */
function isNowhere(told: Refusal): boolean {
  return told !== undefined && /^(?:wrong-address|unexpected-answer|(?:asset-)?not-found)$/.test(told.code);
}

function noService(base: string, first: Refusal): UpcutError {
  // Its own words are better where they tell of the scheme.
  if (first?.httpStatus === 400) return first;
  const state = `${originOf(base)} answers, but has none of the calls of a video service`;
  const advice = "Check baseUrl, and whether this network asks you to sign in";
  return new ServiceError("wrong-address", `Cannot check the account: ${state}. ${advice}`, {
    httpStatus: first?.httpStatus,
    details: first?.details,
  });
}

/** Nobody wanted to end a stream. */
function inWordsOfCheck(error: UpcutError): UpcutError {
  const message = error.message
    .replace(/^Cannot [^:]*/, "Cannot check the account")
    .replace(/\. The session may have ended.*$/, "");
  return errorFromRecord({ ...error.toJSON(), message });
}
