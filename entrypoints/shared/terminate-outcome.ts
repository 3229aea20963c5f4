/** What came of ending a stream, in words, and what can be done next. */
import type { ErrorCode, ErrorRecord } from "../../core/mod.ts";
import { type OriginRefusal, readOriginRefusal } from "../../core/validate.ts";
import { entryOf } from "./entry-of.ts";
import { type Failure, isFault } from "./fault.ts";
import { formatLength, formatNumber, formatSeconds } from "./format.ts";
import type { TerminateResponse } from "./messages.ts";
import { plainText } from "./plain-text.ts";
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
  /** Whether it is unknown what became of the session. */
  isOpen?: true;
}

/** Milliseconds to wait where the service doesn't say. */
const COOLDOWN = 5_000;
/** Milliseconds that are shown at least. */
const SHORTEST_WAIT = 1_000;

export function ended(): Outcome {
  return { tone: "good", ...sentences("outcome.ended", "outcome.endedHint"), next: "close" };
}

/** The request may have left, and nobody knows what came of it. */
export function unknown(): Outcome {
  return {
    tone: "warn",
    ...sentences("outcome.unknown", "outcome.unknownHint"),
    next: "again",
    isOpen: true,
  };
}

export function notSetUp(): Outcome {
  return { tone: "warn", ...sentences("outcome.notSetUp", "outcome.notSetUpHint"), next: "options" };
}

function notAllowed(): Outcome {
  return { tone: "warn", ...sentences("outcome.notAllowed", "outcome.notAllowedHint"), next: "allow" };
}

export function fault(): Outcome {
  return { tone: "bad", ...sentences("outcome.fault", "outcome.faultHint"), next: "again" };
}

/**
 * The outcome of a response of the background, which may be none when its worker died.
 *
 * @param isOpen whether an earlier try for the same stream left unknown what became of the session
 */
export function outcomeOf(response: TerminateResponse | null | undefined, isOpen = false): Outcome {
  if (!response) return unknown();
  if ("ended" in response) return ended();
  if ("missing" in response) return response.missing === "host" ? notAllowed() : notSetUp();
  const { error }: { error?: Failure } = response;
  if (error === undefined) return unknown();
  if (isFault(error)) return fault();
  // A refusal to look at this call says nothing of what the one before it did.
  const outcomeFor =
    isOpen && error.code === "rate-limited" ? stillUnknown : (entryOf(OUTCOMES, error.code) ?? otherwise);
  const outcome = outcomeFor(error);
  const quote = error.details?.map(plainText).join("\n").trim();
  return quote ? { ...outcome, quote } : outcome;
}

const OUTCOMES: Partial<Record<ErrorCode, (error: ErrorRecord) => Outcome>> = {
  "terminate-unknown": unknown,
  "invalid-option": notSetUp,
  "invalid-id": () => ({ tone: "bad", title: t("outcome.invalidId"), next: "id" }),
  "not-found": () => ({ tone: "bad", ...sentences("outcome.notFound", "outcome.notFoundHint"), next: "id" }),
  unauthorized: () => ({
    tone: "bad",
    ...sentences("outcome.unauthorized", "outcome.unauthorizedHint"),
    next: "options",
  }),
  forbidden: () => ({
    tone: "bad",
    ...sentences("outcome.forbidden", "outcome.forbiddenHint"),
    next: "options",
  }),
  "origin-refused": ({ details = [] }) => ({
    tone: "bad",
    ...sentences(...ORIGIN_KEYS[readOriginRefusal(details) ?? "unclear"]),
    next: "options",
  }),
  "wrong-address": () => ({
    tone: "bad",
    ...sentences("outcome.wrongAddress", "outcome.wrongAddressHint"),
    next: "options",
  }),
  redirected: () => ({
    tone: "bad",
    ...sentences("outcome.redirected", "outcome.redirectedHint"),
    next: "options",
  }),
  "rate-limited": ({ retryAfter }) => ({
    tone: "warn",
    ...sentences("outcome.rateLimited", "outcome.rateLimitedHint"),
    next: "again",
    wait: waitOf(retryAfter),
  }),
  unreachable: () => ({
    tone: "bad",
    ...sentences("outcome.unreachable", "outcome.unreachableHint"),
    next: "again",
  }),
  "service-error": ({ retryAfter }) => ({
    tone: "bad",
    ...sentences("outcome.serviceError", "outcome.serviceErrorHint"),
    next: "again",
    wait: waitOf(retryAfter),
    isOpen: true,
  }),
  rejected: ({ httpStatus }) => ({
    tone: "bad",
    title: t("outcome.rejected"),
    ...(httpStatus !== undefined && {
      detail: t("outcome.rejectedHint", { status: formatNumber(httpStatus) }),
    }),
    next: "id",
  }),
  "unexpected-answer": () => ({
    tone: "bad",
    ...sentences("outcome.unexpected", "outcome.unexpectedHint"),
    next: "options",
    isOpen: true,
  }),
};

const ORIGIN_KEYS: Record<OriginRefusal | "unclear", [title: PlainKey, detail: PlainKey]> = {
  "web-pages": ["outcome.originPages", "outcome.originPagesHint"],
  "restricted-key": ["outcome.originKey", "outcome.originKeyHint"],
  unclear: ["outcome.originRefused", "outcome.originRefusedHint"],
};

function sentences(title: PlainKey, detail: PlainKey): Pick<Outcome, "title" | "detail"> {
  return { title: t(title), detail: t(detail) };
}

function stillUnknown({ retryAfter }: ErrorRecord): Outcome {
  return {
    tone: "warn",
    ...sentences("outcome.stillUnknown", "outcome.stillUnknownHint"),
    next: "again",
    wait: waitOf(retryAfter),
    isOpen: true,
  };
}

function waitOf(retryAfter: number = COOLDOWN): number {
  return Math.max(SHORTEST_WAIT, retryAfter);
}

function otherwise({ message }: ErrorRecord): Outcome {
  return {
    tone: "bad",
    title: t("outcome.failed"),
    detail: `${plainText(message)}.`,
    next: "again",
  };
}

/** A wait in milliseconds as a button shows it. */
export function waitText(wait: number): string {
  const seconds = Math.ceil(wait / 1000);
  return seconds < 120 ? formatSeconds(seconds) : t("terminate.minutes", { time: formatLength(seconds) });
}
