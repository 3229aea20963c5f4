/** What came of ending a stream, in words, and what can be done next. */

import { errorFacts, type OriginRefusal, plainText, readOriginRefusal } from "../../core/extension.ts";
import type { ErrorCode, ErrorRecord } from "../../core/mod.ts";
import { type Failure, isFault } from "./fault.ts";
import { formatLength, formatNumber, formatSeconds, unbroken } from "./format.ts";
import type { TerminateResponse } from "./messages.ts";
import { stepAfter } from "./next-steps.ts";
import { entryOf } from "./record.ts";
import { type PlainKey, t } from "./translate.ts";

export interface Outcome {
  tone: "good" | "warn" | "bad";
  title: string;
  detail?: string;
  /** The service's own words. */
  quote?: string;
  /** What has the focus next: `id` is the field to correct. */
  next: "close" | "again" | "options" | "allow" | "id";
  /** Milliseconds until it may be tried again. */
  wait?: number;
  /** True if it is unknown what became of the session. */
  isUnknown?: true;
}

/** Milliseconds to wait where the service doesn't say. */
const COOLDOWN = 5_000;
const SHORTEST_WAIT = 1_000;

/** The request may have left, and nobody knows what came of it. */
function unknown(): Outcome {
  return { tone: "warn", ...told("outcome.unknown"), next: "again", isUnknown: true };
}

function notSetUp(): Outcome {
  return { tone: "warn", ...told("outcome.notSetUp"), next: "options" };
}

/**
 * The outcome of a response of the background, which may be none when its worker died.
 *
 * @param isUnknown whether an earlier try for the same stream left unknown what became of the session
 */
export function outcomeOf(response: TerminateResponse | null | undefined, isUnknown = false): Outcome {
  if (!response) return unknown();
  if ("ended" in response) return { tone: "good", ...told("outcome.ended"), next: "close" };
  if ("missing" in response)
    return response.missing === "settings"
      ? notSetUp()
      : { tone: "warn", ...told("outcome.notAllowed"), next: "allow" };
  const { error }: { error?: Failure } = response;
  if (error === undefined) return unknown();
  if (isFault(error)) return { tone: "bad", ...told("outcome.fault"), next: "again" };
  // A refusal to look at this call says nothing of what the one before it did.
  const outcome =
    isUnknown && error.code === "rate-limited"
      ? { ...refused(error, "outcome.stillUnknown"), isUnknown: true as const }
      : outcomeAfter(error);
  const quote = error.details?.map(plainText).join("\n").trim();
  return quote ? { ...outcome, quote } : outcome;
}

function outcomeAfter(error: ErrorRecord): Outcome {
  switch (error.code) {
    case "terminate-unknown":
      return unknown();
    case "invalid-option":
      return notSetUp();
    case "invalid-id":
      return { tone: "bad", title: t("outcome.invalidId"), next: "id" };
    case "origin-refused":
      return refused(error, ORIGIN_KEYS[readOriginRefusal(error.details ?? []) ?? "unclear"]);
    case "rejected": {
      const { httpStatus } = error;
      const detail =
        httpStatus !== undefined && t("outcome.rejectedHint", { status: formatNumber(httpStatus) });
      return { tone: "bad", title: t("outcome.rejected"), ...(detail && { detail }), next: "id" };
    }
    default: {
      const key = entryOf(KEYS, error.code);
      const detail = `${plainText(error.message)}.`;
      return key === undefined
        ? { tone: "bad", title: t("outcome.failed"), detail, next: "again" }
        : refused(error, key);
    }
  }
}

type ToldKey = PlainKey extends infer Key
  ? Key extends `outcome.${infer Name}Hint`
    ? `outcome.${Name}`
    : never
  : never;

/** Codes of refusals that have words of their own, or that only other calls end with. */
type OtherCode =
  | "asset-not-found"
  | "asset-unknown"
  | "origin-refused"
  | "rejected"
  | "terminate-unknown"
  | "unanswered";

const KEYS: Record<Exclude<ErrorCode<"ServiceError" | "ConnectionError">, OtherCode>, ToldKey> = {
  "not-found": "outcome.notFound",
  unauthorized: "outcome.unauthorized",
  forbidden: "outcome.forbidden",
  "wrong-address": "outcome.wrongAddress",
  redirected: "outcome.redirected",
  "rate-limited": "outcome.rateLimited",
  unreachable: "outcome.unreachable",
  "service-error": "outcome.serviceError",
  "unexpected-answer": "outcome.unexpected",
};

/** The outcome where the service didn't end the stream: what helps, and what became of it, core's table tells. */
function refused({ code, retryAfter }: ErrorRecord, key: ToldKey): Outcome {
  const { next, kept } = errorFacts(code);
  return {
    tone: code === "rate-limited" || kept === "unknown" ? "warn" : "bad",
    ...told(key),
    next: stepAfter(code).place ?? "again",
    ...(next === "wait" && { wait: Math.max(SHORTEST_WAIT, retryAfter ?? COOLDOWN) }),
    ...(kept === "unknown" && { isUnknown: true }),
  };
}

const ORIGIN_KEYS: Record<OriginRefusal | "unclear", ToldKey> = {
  "web-pages": "outcome.originPages",
  "restricted-key": "outcome.originKey",
  unclear: "outcome.originRefused",
};

/** A message of this name with `Hint` at its end says what became of the stream, and what helps. */
function told(key: ToldKey): Pick<Outcome, "title" | "detail"> {
  return { title: t(key), detail: t(`${key}Hint`) };
}

/** A wait in milliseconds as a button shows it. */
export function waitText(wait: number): string {
  const seconds = Math.ceil(wait / 1000);
  if (seconds < 120) return formatSeconds(seconds);
  return unbroken(t("terminate.minutes", { time: formatLength(seconds) }));
}
