/**
 * Finds out whether a service takes an account's token, and where it has its calls, by calls that change nothing: to end a
 * stream and to read an asset that nobody can have.
 */
import type { Client } from "./client.ts";
import { errorFacts } from "./errors/error-codes.ts";
import { ServiceError, type UpcutError } from "./errors/errors.ts";
import { originOf } from "./redaction/redaction.ts";
import { askForRefusal, isElsewhere, isThere, LATER_TIMEOUT, type Refusal } from "./service/call-places.ts";
import { type Call, getAssetCall, requestUploadCall, terminateCall } from "./service/calls.ts";
import { callsOf } from "./service/requester.ts";

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
  const calls = callsOf(client);
  if (calls === undefined) throw new TypeError("it was not made by createClient()");
  const { baseUrl, paths, others } = calls;
  const later = { ...options, timeout: LATER_TIMEOUT };
  const id = `upcut-check-${crypto.randomUUID()}`;
  const probe = async (call: Call, limits: typeof options = later) => {
    const question = { ...call, ...QUESTION, lost: { ...call.lost, state: "Nothing has changed" } };
    const told = await askForRefusal(calls, question, limits);
    const isTaken = told?.code !== "unauthorized" && (await isThere(calls, question, told, options));
    return { told, isTaken };
  };

  const first = await probe(terminateCall(paths.terminate, id), options);
  const isEnd = /^(?:unauthorized|redirected)$/.test(first.told?.code ?? "");
  if (isEnd || first.told?.name === "ConnectionError") throw first.told;
  const [other, asset] = await Promise.all([
    first.isTaken || others.terminate === undefined ? undefined : probe(terminateCall(others.terminate, id)),
    others.asset === undefined ? undefined : probe(getAssetCall(others.asset, id)),
  ]);
  const found = [first, other].find((each) => each?.isTaken);
  const check = {
    paths: {
      ...(found !== undefined && found === other && { terminate: others.terminate }),
      ...(asset?.isTaken && asset.told?.code === "asset-not-found" && { asset: others.asset }),
    },
    endsStreams: found !== undefined,
  };
  if (found !== undefined) return { ...check, ...meaningOf(found.told) };
  if (asset?.isTaken) return { ...check, token: "accepted" };
  const refused = [other, asset].find((each) => each?.told?.code === "unauthorized");
  if (refused !== undefined) throw refused.told;
  const isNone = isNowhere(first.told) && (other === undefined || isNowhere(other.told));
  // A service takes no request without a token, so that nothing is made by this one.
  const { body: _, ...request } = requestUploadCall(paths, {});
  if (isNone && isNowhere(await askForRefusal(calls, { ...request, isBare: true }, later)))
    throw noService(baseUrl, first.told);
  return { ...check, token: "unknown", ...(first.told && { error: first.told }) };
}

/** Words for calls of which nobody wants what they do. */
const QUESTION = { purpose: "check the account", serviceErrorHint: () => "" };

function meaningOf(told: Refusal): Pick<AccountCheck, "token" | "error"> {
  if (told?.code === "forbidden" || told?.code === "origin-refused") return { token: "limited", error: told };
  return told?.retryable === true ? { token: "unknown", error: told } : { token: "accepted" };
}

/** True if what answered doesn't have the call: a 404 in the words of a service may be that of an id that nobody has. */
function isNowhere(told: Refusal): boolean {
  return isElsewhere(told) || (told !== undefined && errorFacts(told.code).next === "check-id");
}

function noService(base: string, first: Refusal): UpcutError {
  // The words of an answer that tells of the scheme are better.
  if (first?.httpStatus === 400) return first;
  const state = `${originOf(base)} answers, but has none of the calls of a video service`;
  const advice = "Check baseUrl, and whether this network asks you to sign in";
  return new ServiceError("wrong-address", `Cannot check the account: ${state}. ${advice}`, {
    httpStatus: first?.httpStatus,
    details: first?.details,
  });
}
