/**
 * The calls to an account (interface document: "Request an upload location" and "Terminate a stream session"; the one
 * that reads an asset is not shown there), and what is said where an answer isn't the expected one.
 */
import { ASSET_UNKNOWN, type ErrorCode, ServiceError } from "../errors/errors.ts";
import { redact } from "../redaction/redaction.ts";
import { isHtmlPage } from "../text/html.ts";
import { isObject, parseJson } from "../text/is-object.ts";
import type { AssetRecord, UploadLocation } from "./asset.ts";
import { lacksWebhookId } from "./asset-request.ts";
import { assetSchema, findMismatches, withFields } from "./asset-schema.ts";
import { idSegment, type Paths, READ_ASSET, streamSegment } from "./paths.ts";
import type { AssetRequest } from "./request-fields.ts";
import { isRecordSized, LOCATIONS, readUploadLocation, withoutLocation } from "./upload-location.ts";

/** A call before its token and its limits are known. */
export type Call = Omit<AccountCall, "baseUrl" | "token" | "secrets" | "signal" | "timeout">;

export function requestUploadCall(paths: Paths, body: AssetRequest): Call {
  return {
    method: "POST",
    path: paths.requestUpload,
    pathName: "requestUpload",
    body,
    purpose: "request an upload location",
    lost: ASSET_UNKNOWN,
    serviceErrorHint: () =>
      lacksWebhookId(body)
        ? "The playback policy is of type webhook but names no webhookId, which may be why; otherwise try again later"
        : "Try again later",
  };
}

export function terminateCall(path: string, id: string): Call {
  return {
    method: "DELETE",
    path: path.replace("{id}", () => streamSegment(id)),
    pathName: "terminate",
    purpose: "terminate the stream session",
    lost: { code: "terminate-unknown", state: "The session may have ended" },
    serviceErrorHint: (retryAfter = TERMINATE_PAUSE) =>
      `The session may have ended. Wait ${Math.ceil(retryAfter / 1000)} s before trying again: until then it may answer that the call came too soon`,
  };
}

export function getAssetCall(path: string, id: string): Call {
  return {
    method: "GET",
    path: path.replace("{id}", () => idSegment(id, READ_ASSET, "asset")),
    pathName: "asset",
    purpose: READ_ASSET,
    lost: { code: "unanswered", state: "Nothing has changed" },
    serviceErrorHint: () => "Try again later",
  };
}

/** A record is never refused for what it contains, as long as it is that asset's. */
export function readAssetRecord(answer: AccountAnswer, id: string): AssetRecord {
  const asset = parseAnswer(answer);
  if (!isObject(asset) || asset.id !== id.trim()) {
    const found = isObject(asset) && asset.id !== undefined ? "another asset" : "no asset";
    const state = `the service answered ${answer.status} with ${found}. Check paths.asset`;
    throw unexpectedAnswer(answer, state);
  }
  return { asset: withFields({ ...asset, id: asset.id }), mismatches: findMismatches(asset, assetSchema) };
}

/** The asset and where its content goes. @throws {ServiceError | UploadError} where there is no location to use. */
export function readLocation(answer: AccountAnswer): UploadLocation {
  const { call, status } = answer;
  const location = readUploadLocation(parseAnswer(answer), call.baseUrl);
  if (typeof location === "string") throw unexpectedAnswer(answer, `${location}. ${call.lost.state}`);
  if (location.url !== undefined || location.tusEndpoint !== undefined) return location;
  const { purpose, secrets } = call;
  throw withoutLocation(`Cannot ${purpose}`, location, LOCATIONS, {
    secrets,
    httpStatus: status,
  });
}

/** The JSON of an answer, or the error that says what came instead. */
export function parseAnswer(answer: AccountAnswer): unknown {
  const { call, status, text } = answer;
  const parsed = parseJson(text);
  if (parsed !== undefined && isRecordSized(parsed)) return parsed;
  const found = parsed === undefined ? describePage(text) : " with more JSON than any asset has";
  const advice =
    found === HTML_PAGE
      ? "Check baseUrl, and whether this network asks you to sign in"
      : `${call.lost.state}. Check baseUrl and paths.${call.pathName} too`;
  const expected = parsed === undefined ? " where JSON was expected" : "";
  throw unexpectedAnswer(answer, `the service answered ${status}${found}${expected}. ${advice}`);
}

const HTML_PAGE = " with an HTML page";

/** The kind of an unexpected body, as the end of a sentence. */
export function describePage(text: string): string {
  if (text.trim() === "") return " without a body";
  if (isHtmlPage(text)) return HTML_PAGE;
  return parseJson(text) === undefined ? " with text that is not JSON" : " with JSON";
}

/** A call to an account. Where it makes or ends something, a lost answer leaves its outcome open. */
export interface AccountCall {
  method: "POST" | "DELETE" | "GET";
  baseUrl: string;
  /** Below the base address. */
  path: string;
  /** Name of the `paths` entry in use, for the hint at a wrong address. */
  pathName: "requestUpload" | "terminate" | "asset";
  token: string;
  /** Set where it goes without the token: it asks what the service says to anybody. */
  isBare?: true;
  /** The secrets that no message may show: the token, and the caller's own headers once they are known. */
  secrets: string[];
  body?: Record<string, unknown>;
  signal?: AbortSignal | undefined;
  /** Milliseconds until the answer counts as lost. */
  timeout: number;
  /** Completes "Cannot …" in messages. */
  purpose: string;
  /** The error when no answer comes, and the state that is unknown then. */
  lost: { code: ErrorCode<"ConnectionError">; state: string };
  /** The next step after a server error; the milliseconds are those the service asked to wait. */
  serviceErrorHint(retryAfter: number | undefined): string;
}

/** Milliseconds in which some services refuse another terminate call, also after one that failed. */
export const TERMINATE_PAUSE = 5_000;

export interface AccountAnswer {
  call: AccountCall;
  status: number;
  text: string;
}

export function unexpectedAnswer({ call, status }: AccountAnswer, state: string): ServiceError {
  return new ServiceError("unexpected-answer", messageOf(call, state), { httpStatus: status });
}

/**
 * The message of an error of a call. What others wrote of it must be redacted already: our own words are shown even
 * where a token is one of them.
 */
export function messageOf(call: AccountCall, state: string): string {
  return redact(`Cannot ${call.purpose}: ${state}`);
}
