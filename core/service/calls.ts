/**
 * The calls to an account (interface document: "Request an upload location" and "Terminate a stream session"; the one
 * that reads an asset is not shown there), and what is said where an answer isn't the expected one.
 */

import { type ServiceError, UploadError } from "../errors.ts";
import { isHtmlPage } from "../http/html.ts";
import { isObject } from "../is-object.ts";
import { describeValue } from "../redaction/redaction.ts";
import {
  type AccountAnswer,
  type AccountCall,
  messageOf,
  TERMINATE_PAUSE,
  unexpectedAnswer,
} from "./account-call.ts";
import type { AssetRecord, UploadLocation } from "./asset.ts";
import { lacksWebhookId } from "./asset-request.ts";
import { findAssetMismatches } from "./asset-schema.ts";
import { type Paths, READ_ASSET } from "./paths.ts";
import { isRecordSized } from "./record-size.ts";
import type { AssetRequest } from "./request-fields.ts";
import { isRefusedLocation } from "./upload-location.ts";

/** A call before its token and its limits are known. */
export type Call = Omit<AccountCall, "token" | "secrets" | "signal" | "timeout">;

/** The call that creates an asset and asks where its content goes. */
export function requestUploadCall(paths: Paths, body: AssetRequest): Call {
  return {
    method: "POST",
    path: paths.requestUpload,
    pathName: "requestUpload",
    body,
    purpose: "request an upload location",
    lost: {
      code: "asset-unknown",
      state: "An asset may have been created: look into the account before trying again",
    },
    serviceErrorHint: () =>
      lacksWebhookId(body)
        ? "The playback policy is of type webhook but names no webhookId, which may be why; otherwise try again later"
        : "Try again later",
  };
}

/** The call that ends the running session of a stream. */
export function terminateCall(paths: Paths, segment: string): Call {
  return {
    method: "DELETE",
    path: paths.terminate.replace("{id}", () => segment),
    pathName: "terminate",
    purpose: "terminate the stream session",
    lost: { code: "terminate-unknown", state: "The session may have ended" },
    serviceErrorHint: (retryAfter = TERMINATE_PAUSE) =>
      `The session may have ended. Wait ${Math.ceil(retryAfter / 1000)} s before trying again: until then it may answer that the call came too soon`,
  };
}

/** The call that reads an asset. */
export function getAssetCall(path: string, segment: string): Call {
  return {
    method: "GET",
    path: path.replace("{id}", () => segment),
    pathName: "asset",
    purpose: READ_ASSET,
    lost: { code: "unanswered", state: "Nothing has changed" },
    serviceErrorHint: () => "Try again later",
  };
}

/**
 * Reads the record of an asset; it is never refused for what it contains, as long as it is that asset's.
 *
 * @throws {ServiceError} `unexpected-answer`
 */
export function readAssetRecord(call: AccountCall, answer: AccountAnswer, id: string): AssetRecord {
  const asset = parseAnswer(call, answer);
  if (!isObject(asset) || asset.id !== id.trim()) {
    const found = isObject(asset) && asset.id !== undefined ? "another asset" : "no asset";
    const state = `the service answered ${answer.status} with ${found}. Check paths.asset`;
    throw unexpectedAnswer(call, answer, state);
  }
  return { asset: Object.freeze({ ...asset, id: asset.id }), mismatches: findAssetMismatches(asset) };
}

/** The error for an answer that holds no location that can be used. */
export function withoutLocation(
  call: AccountCall,
  answer: AccountAnswer,
  { asset, mismatches }: UploadLocation,
): ServiceError | UploadError {
  const found = mismatches.filter(({ path }) => path === "url" || path === "tusEndpoint");
  const why = found.map((each) => `${each.path}: expected ${each.expected}, found ${each.found}`).join("; ");
  const id = describeValue(asset.id, call.secrets);
  const state = `asset ${id} was created without a usable location (${why})`;
  if (!found.some(isRefusedLocation)) return unexpectedAnswer(call, answer, state);
  return new UploadError("location-refused", messageOf(call, state), { httpStatus: answer.status });
}

/** The JSON of an answer, or the error that says what came instead. */
export function parseAnswer(call: AccountCall, answer: AccountAnswer): unknown {
  const parsed = parseJson(answer.text);
  if (parsed !== undefined && isRecordSized(parsed)) return parsed;
  const found = parsed === undefined ? describePage(answer.text) : " with more JSON than any asset has";
  const advice =
    found === HTML_PAGE
      ? "Check baseUrl, and whether this network asks you to sign in"
      : `${call.lost.state}. Check baseUrl and paths.${call.pathName} too`;
  const expected = parsed === undefined ? " where JSON was expected" : "";
  throw unexpectedAnswer(call, answer, `the service answered ${answer.status}${found}${expected}. ${advice}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const HTML_PAGE = " with an HTML page";

/** The kind of an unexpected body, as the end of a sentence. */
export function describePage(text: string): string {
  if (text.trim() === "") return " without a body";
  if (isHtmlPage(text)) return HTML_PAGE;
  return parseJson(text) === undefined ? " with text that is not JSON" : " with JSON";
}
