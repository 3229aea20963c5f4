/** The errors of calls: a refusal, a redirect or a lost answer, with the next step. */

import { type ErrorBody, readErrorBody } from "../errors/error-body.ts";
import { codeOfStatus } from "../errors/error-codes.ts";
import {
  ConnectionError,
  type ErrorCode,
  errorFromRecord,
  isErrorRecord,
  ServiceError,
  type UpcutError,
} from "../errors/errors.ts";
import { kindOf } from "../errors/unexpected-failure.ts";
import { NEVER_ANSWERED } from "../hosts/host.ts";
import { type NetworkError, whyUnreachable } from "../http/network-error.ts";
import { readDate, readRetryAfter } from "../http/status.ts";
import { describeValue, HIDDEN, judgeOf, originOf, redact } from "../redaction/redaction.ts";
import { isOffline, pageOrigin } from "../runtime.ts";
import { parseJson } from "../text/is-object.ts";
import { type AccountCall, messageOf, TERMINATE_PAUSE } from "./calls.ts";
import { type OriginRefusal, readOriginRefusal } from "./origin-refusal.ts";
import { PREFIXED_PATHS } from "./paths.ts";

const SCHEME_HINT = "Check whether the address begins with http: or https:";

/** @param isNew whether the service has never answered */
export function lostAnswer(
  call: AccountCall,
  network: NetworkError,
  { expired, isNew }: { expired: boolean; isNew: boolean },
): ConnectionError {
  const { baseUrl } = call;
  // A given fetch may fail with any word.
  const words = redact(network.words, call.secrets);
  const step = stepAfter(baseUrl, network, expired, isNew);
  const hint = step === undefined ? "" : `. ${step}`;
  if (!expired && (network.neverLeft || isOffline())) {
    const state = `${originOf(baseUrl)} ${whyUnreachable({ ...network, words })}. Nothing was sent${hint}`;
    const more = { retryable: !network.forbidden, cause: network.told };
    const failure = new ConnectionError("unreachable", messageOf(call, state), more);
    return isNew ? Object.defineProperty(failure, NEVER_ANSWERED, { value: true }) : failure;
  }
  const state = expired
    ? `no answer within ${call.timeout / 1000} s`
    : `the connection failed${words}${orOriginRefused(baseUrl, network)}`;
  const message = messageOf(call, `${state}. ${call.lost.state}${hint}`);
  return new ConnectionError(call.lost.code, message, { cause: expired ? undefined : network.told });
}

/** The next step where an error says what is wrong with the address, or it has never given an answer. */
function stepAfter(
  baseUrl: string,
  { noTls, noHttp, cause }: NetworkError,
  expired: boolean,
  isNew: boolean,
) {
  if (expired) return isNew ? "Check the address" : undefined;
  const isSecure = baseUrl.startsWith("https:");
  if (isSecure ? noTls : noHttp) return SCHEME_HINT;
  // Servers that expect a secure connection mostly close one that isn't.
  return cause?.step ?? (isNew && !isSecure ? SCHEME_HINT : undefined);
}

/** A browser hides an answer without CORS headers, as services give where they refuse an origin. */
function orOriginRefused(baseUrl: string, network: NetworkError): string {
  const origin = pageOrigin();
  // Where a runtime has a code for the failure, no page hides an answer.
  if (origin === undefined || network.words !== "" || origin === originOf(baseUrl)) return "";
  return `, or the service refuses this key from web pages of ${origin} (a browser doesn't tell which)`;
}

type Answered = Pick<Response, "status" | "headers">;

export function callRedirected(call: AccountCall, { status, headers }: Answered): ServiceError {
  const own = originOf(call.baseUrl);
  const location = headers.get("location");
  const isKnown = location !== null && URL.canParse(location, call.baseUrl);
  const target = isKnown ? originOf(new URL(location, call.baseUrl)) : "another address";
  const where =
    target === own
      ? `to another path of ${own}, which is not followed. Check baseUrl and paths.${call.pathName}`
      : `to ${redact(target, call.secrets)}, and the token is sent to ${own} alone. Check baseUrl`;
  // A browser hides status and location.
  const isSilent = location === null && status !== 0;
  const silence = `the service answered ${status} without saying where to. Check baseUrl`;
  const message = messageOf(call, isSilent ? silence : `the service redirects ${where}`);
  return new ServiceError("redirected", message, { httpStatus: status === 0 ? undefined : status });
}

/** The words of servers for a request in plain text where they expect a secure connection. */
const EXPECTS_TLS =
  /\bhttp (?:request )?(?:was )?(?:sent )?to an? ?(?:https|ssl|tls)\b|\bhttp request was sent to https\b|\brequires? (?:https|ssl|tls)\b|\b(?:https|ssl|tls) (?:is )?required\b/i;

export function refused(call: AccountCall, { status, headers }: Answered, text: string): UpcutError {
  const record = parseJson(text);
  // A gateway passes on the error that it got itself.
  if (isErrorRecord(record) && !judgeOf(call.secrets).repeats(text)) return errorFromRecord(record, status);
  const body = readErrorBody(text, headers.get("content-type") ?? "", call.secrets);
  const retryAfter = readRetryAfter(headers.get("retry-after"), readDate(headers.get("date")));
  const plain = !body.own && call.baseUrl.startsWith("http:") && EXPECTS_TLS.test(text.slice(0, 4000));
  const [code, hint] = plain
    ? (["wrong-address", SCHEME_HINT] as const)
    : codeAndHint(status, body, call, retryAfter);
  // A service that doesn't know a token mostly repeats it: the sentence is hidden, and what it meant is known.
  const isOfToken = status === 401 && body.details.includes(HIDDEN);
  const details = isOfToken ? body.details.filter((each) => each !== HIDDEN) : body.details;
  const told = isOfToken ? ["it doesn't know this token", ...details] : details;
  const said = told.length > 0 ? `: ${told.join("; ")}` : "";
  const state = `the service answered ${status}${said}${hint === "" ? "" : `. ${hint}`}`;
  return new ServiceError(code, messageOf(call, state), {
    httpStatus: status,
    retryAfter,
    details: body.own && (details.length > 0 || !isOfToken) ? details : undefined,
  });
}

/** The error for an answer that came, and that this module failed to read: a refusal is still one. */
export function unreadableAnswer(call: AccountCall, status: number, error: unknown): UpcutError {
  const message = error instanceof Error ? describeValue(error.message, call.secrets) : "";
  const why = `its answer could not be read (${`${kindOf(error)} ${message}`.trim()})`;
  if (status >= 400) return refused(call, { status, headers: new Headers() }, why);
  const state = `the service answered ${status}: ${why}. ${call.lost.state}`;
  const more = { httpStatus: status, cause: error };
  return new ServiceError("unexpected-answer", messageOf(call, state), more);
}

/** The status chooses the code and the hint; what is wrong the service says itself. */
function codeAndHint(
  status: number,
  { said, own }: ErrorBody,
  call: AccountCall,
  retryAfter: number | undefined,
): [ErrorCode<"ServiceError">, string] {
  const { pathName } = call;
  const refusal = status === 403 ? readOriginRefusal(said) : undefined;
  if (refusal !== undefined) return ["origin-refused", originHint(refusal, pathName)];
  // Servers say so of a path that they don't have, as a page, or as JSON that repeats the path.
  if (
    (NO_CALL.includes(status) && !own) ||
    (status === 404 && said.some((each) => each.includes(call.path)))
  ) {
    const place = pathName === "requestUpload" ? "" : `, such as "${PREFIXED_PATHS[pathName]}"`;
    return ["wrong-address", `Check baseUrl and paths.${pathName}: services may have a prefix${place}`];
  }
  return [codeOfStatus(status, pathName), hintAfter(status, call, retryAfter)];
}

/** Statuses of servers for a path that they don't have, or not with this method. */
const NO_CALL = [404, 405, 501];

/** Whose id stands in the path of a call. */
function ownerIn(pathName: AccountCall["pathName"]): string {
  return pathName === "asset" ? "asset" : "stream";
}

function hintAfter(status: number, call: AccountCall, retryAfter: number | undefined): string {
  const { pathName } = call;
  if (status === 401) return "Check the account token";
  if (status === 403) return "Check what the account and its token may do";
  if (status === 404) {
    if (pathName === "requestUpload") return "Check baseUrl";
    return `Check the ${ownerIn(pathName)}'s id, and that the token is of its account`;
  }
  if (status === 429) {
    const pause = retryAfter ?? (pathName === "terminate" ? TERMINATE_PAUSE : undefined);
    return `Wait${pause === undefined ? "" : ` ${Math.ceil(pause / 1000)} s`}, then try again`;
  }
  if (status >= 500) return call.serviceErrorHint(retryAfter);
  if (status === 414 || status === 431) return tooLongHint(call, status);
  if (pathName !== "requestUpload") return status === 422 ? `Check the ${ownerIn(pathName)}'s id` : "";
  if (status === 413) return "The request is too long: shorten its fields";
  return status === 422 ? "Check the request's fields" : "";
}

/** Characters of an address that every server takes. */
const SHORT_PATH = 1_000;

/** Servers count the address among the headers: what is longest of all that was sent is the reason. */
function tooLongHint({ pathName, path, token, secrets }: AccountCall, status: number): string {
  const [header = ""] = secrets.toSorted((a, b) => b.length - a.length);
  if (status === 414 || path.length > Math.max(SHORT_PATH, header.length))
    return pathName === "requestUpload"
      ? "The address is too long: check baseUrl and paths.requestUpload"
      : `The ${ownerIn(pathName)}'s id is too long: check it`;
  return `A header is too long: check ${header === token ? "the account token" : "headers"}`;
}

function originHint(refusal: OriginRefusal, pathName: AccountCall["pathName"]): string {
  const otherwise = pathName === "requestUpload" ? ", or hand out upload locations through one" : "";
  const server = `make the call from a server${otherwise}`;
  const key = "use a key without that restriction";
  if (refusal === "web-pages") return `The service refuses this token from web pages: ${server}`;
  if (refusal === "restricted-key") {
    const state = pathName === "terminate" ? "is restricted and may not end streams" : "is restricted";
    return `This key ${state}, wherever the call comes from: ${key}`;
  }
  return `The service refuses this key. If it refuses all web pages, ${server}. If the key is restricted, ${key}`;
}
