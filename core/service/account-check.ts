/**
 * Whether a service takes an account's token, and where it has its calls: asked by calls that change nothing, to end a
 * stream and to read an asset that nobody can have.
 *
 * Some services say the same of a path that they don't have as of a stream that they don't know. So each question is asked
 * again without the token: where that changes the answer, the path is there, and the service took the token.
 */
import type { Client } from "../client.ts";
import {
  ConnectionError,
  type ErrorCode,
  errorFromRecord,
  isUpcutError,
  ServiceError,
  type UpcutError,
} from "../errors.ts";
import { originOf } from "../redaction/redaction.ts";
import { callsOf } from "./account.ts";
import {
  type Call,
  getAssetCall,
  knowsStreams,
  requestUploadCall,
  terminateCall,
  unexpectedAnswer,
} from "./calls.ts";
import { pathsBeside } from "./paths.ts";

export interface AccountCheck {
  token:
    | "accepted"
    /** The service knows the token, and doesn't let it end streams: uploads may be allowed all the same. */
    | "limited"
    /** The service is there, or nobody knows whether it is, and nothing tells what it says of the token. */
    | "unknown";
  /** Where the service has calls that the given paths don't lead to. */
  paths: { terminate?: string | undefined; asset?: string | undefined };
  /** True if a call that ends streams was found. */
  endsStreams: boolean;
  /** The refusal by which the token is limited or unknown. */
  error?: UpcutError;
}

/** Milliseconds for each question after the first. */
const LATER_TIMEOUT = 4_000;

/**
 * @throws {UpcutError} where the service can't be reached, refuses the token, or has none of the calls (`wrong-address`)
 */
export async function checkAccount(
  client: Client,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<AccountCheck> {
  const { baseUrl, paths, otherEnd, ask } = callsOf(client);
  const id = `upcut-check-${crypto.randomUUID()}`;

  async function refusalOf(call: Call, isBare: boolean, timeout?: number): Promise<Refusal> {
    try {
      const answer = await ask(call, { ...options, ...(timeout && { timeout }) }, isBare);
      if (answer.status !== 204) throw unexpectedAnswer(answer, `the service answered ${answer.status}`);
      return undefined;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!isUpcutError(error)) throw error;
      return ofCheck(error);
    }
  }

  async function probe(call: Call, known?: { told: Refusal }): Promise<Probe> {
    const [told, bare] = await Promise.all([
      known === undefined ? refusalOf(call, false, LATER_TIMEOUT) : known.told,
      refusalOf(call, true, LATER_TIMEOUT),
    ]);
    return { told, isTaken: isTaken(told, bare) };
  }

  const ending = terminateCall(paths.terminate, id);
  const first = await refusalOf(ending, false);
  if (first instanceof ConnectionError || first?.code === "unauthorized" || first?.code === "redirected")
    throw first;
  const isSure = first?.code === "not-found" && knowsStreams(first);
  const other = isSure ? undefined : otherEnd;
  const besides = paths.asset === undefined ? pathsBeside(paths.requestUpload).asset : undefined;
  const [atFirst, atOther, asset] = await Promise.all([
    isSure ? { told: first, isTaken: true } : probe(ending, { told: first }),
    other === undefined ? undefined : probe(terminateCall(other, id)),
    besides === undefined ? undefined : probe(getAssetCall(besides, id)),
  ]);
  const end = [atFirst, atOther].find((each) => each?.isTaken);
  const isRead = asset?.isTaken === true && asset.told?.code === "asset-not-found";
  const check = {
    paths: {
      ...(end !== undefined && end === atOther && { terminate: other }),
      ...(isRead && { asset: besides }),
    },
    endsStreams: end !== undefined,
  };
  if (end !== undefined) return { ...check, ...meaningOf(end.told) };
  if (asset?.isTaken) return { ...check, token: "accepted" };
  const all = [atFirst, atOther, asset].flatMap((each) => each ?? []);
  const refused = all.find(({ told }) => told?.code === "unauthorized");
  if (refused?.told !== undefined) throw refused.told;
  // A service takes no request without a token, so that nothing is made by this one.
  const { body: _, ...asking } = requestUploadCall(paths, {});
  const upload = all.every(({ told }) => isNowhere(told))
    ? await refusalOf(asking, true, LATER_TIMEOUT)
    : undefined;
  // Its own words are better where they tell of the scheme.
  if (isNowhere(upload)) throw first?.httpStatus === 400 ? first : noService(baseUrl, first);
  return { ...check, token: "unknown", ...(first && { error: first }) };
}

/** The refusal of a call; `undefined` where it was carried out. */
type Refusal = UpcutError | undefined;

interface Probe {
  told: Refusal;
  isTaken: boolean;
}

/** Answers that come from something else than the call. */
const NOT_OF_CALL: ErrorCode[] = ["wrong-address", "unexpected-answer", "redirected"];

function isTaken(told: Refusal, bare: Refusal): boolean {
  const isOfCall = (each: Refusal) =>
    !(each instanceof ConnectionError) && !NOT_OF_CALL.includes(each?.code as never);
  if (!isOfCall(told) || told?.code === "unauthorized") return false;
  if (bare?.code === "unauthorized") return true;
  return (
    isOfCall(bare) && bare?.retryable !== true && told?.retryable !== true && wordsOf(told) !== wordsOf(bare)
  );
}

function wordsOf(told: Refusal): string {
  return [told?.code, ...(told?.details ?? [])].join("\n");
}

function meaningOf(told: Refusal): Pick<AccountCheck, "token" | "error"> {
  if (told === undefined || told.code === "not-found" || told.code === "rejected")
    return { token: "accepted" };
  const isLimit = told.code === "forbidden" || told.code === "origin-refused";
  return { token: isLimit ? "limited" : "unknown", error: told };
}

/** True if what answered doesn't have the call. */
function isNowhere(told: Refusal): boolean {
  return told !== undefined && [...NOT_OF_CALL, "not-found", "asset-not-found"].includes(told.code);
}

function noService(base: string, first: Refusal): ServiceError {
  const advice = "Check baseUrl, and whether this network asks you to sign in";
  const state = `${originOf(base)} answers, but has none of the calls of a video service. ${advice}`;
  const { httpStatus, details } = first ?? {};
  return new ServiceError("wrong-address", `Cannot check the account: ${state}`, { httpStatus, details });
}

/** The error in the words of a check: nobody wanted to end a stream. */
function ofCheck(error: UpcutError): UpcutError {
  const message = error.message
    .replace(/^Cannot [^:]*/, "Cannot check the account")
    .replace(/\. The session may have ended.*$/, "");
  return errorFromRecord({ ...error.toJSON(), message });
}
