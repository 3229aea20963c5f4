/** What came of ending a session, in words, and what can be done next. */
import type { ErrorCode, ErrorRecord } from "../../core/mod.ts";
import { type OriginRefusal, readOriginRefusal } from "../../core/validate.ts";
import { type Failure, isFault } from "./fault.ts";
import type { TerminateResponse } from "./messages.ts";

export interface Outcome {
  tone: "good" | "warn" | "bad";
  title: string;
  detail?: string;
  /** The service's own words. */
  quote?: string;
  /** What has the focus next: `id` is the field to correct. */
  next: "close" | "again" | "options" | "allow" | "id";
  /** Seconds until it may be tried again. */
  wait?: number;
  /** Whether it is unknown what became of the session. */
  isOpen?: true;
}

/** Milliseconds to wait where the service doesn't say. */
const COOLDOWN = 5_000;

export const ENDED: Outcome = {
  tone: "good",
  title: "Ended, if it was running",
  detail: "Recording stopped. The streamer can start again at once.",
  next: "close",
};

/** The request may have left, and nobody knows what came of it. */
export const UNKNOWN: Outcome = {
  tone: "warn",
  title: "It is not known whether the session ended",
  detail:
    "The request may have reached the service, but no answer came back. Trying again ends whatever session is live then.",
  next: "again",
  isOpen: true,
};

export const NOT_SET_UP: Outcome = {
  tone: "warn",
  title: "Upcut isn't set up yet",
  detail: "It needs the address of your service and your account's token.",
  next: "options",
};

const NOT_ALLOWED: Outcome = {
  tone: "warn",
  title: "The browser hasn't allowed it yet",
  detail: "Upcut may not reach your service, so nothing was sent.",
  next: "allow",
};

export const FAULT: Outcome = {
  tone: "bad",
  title: "Something went wrong inside Upcut",
  detail: "Nothing was sent, so the session was not ended.",
  next: "again",
};

/**
 * The outcome of a response of the background, which may be none when its worker died.
 *
 * @param isOpen whether an earlier try for the same stream left unknown what became of the session
 */
export function outcomeOf(response: TerminateResponse | null | undefined, isOpen = false): Outcome {
  if (!response) return UNKNOWN;
  if ("ended" in response) return ENDED;
  if ("missing" in response) return response.missing === "host" ? NOT_ALLOWED : NOT_SET_UP;
  const { error }: { error?: Failure } = response;
  if (error === undefined) return UNKNOWN;
  if (isFault(error)) return FAULT;
  // A refusal to look at this call says nothing of what the one before it did.
  const outcomeFor =
    isOpen && error.code === "rate-limited" ? stillUnknown : (OUTCOMES[error.code] ?? otherwise);
  const outcome = outcomeFor(error);
  const quote = error.details?.join("\n").trim();
  return quote ? { ...outcome, quote } : outcome;
}

const OUTCOMES: Partial<Record<ErrorCode, (error: ErrorRecord) => Outcome>> = {
  "terminate-unknown": () => UNKNOWN,
  "invalid-option": () => NOT_SET_UP,
  "invalid-id": () => ({ tone: "bad", title: "This can't be the id of a stream", next: "id" }),
  "not-found": () => ({
    tone: "bad",
    title: "The service doesn't know this stream",
    detail: "Check the id, and whether the stream belongs to your account.",
    next: "id",
  }),
  unauthorized: () => ({
    tone: "bad",
    title: "The service doesn't accept the token",
    detail: "It may be wrong, expired or revoked. The session was not ended.",
    next: "options",
  }),
  forbidden: () => ({
    tone: "bad",
    title: "The account may not end this session",
    detail: "The session was not ended.",
    next: "options",
  }),
  "origin-refused": ({ details = [] }) => ({
    tone: "bad",
    ...ORIGIN_MESSAGES[readOriginRefusal(details) ?? "unclear"],
    next: "options",
  }),
  "wrong-address": () => ({
    tone: "bad",
    title: "There is no such service at this address",
    detail: "Check the address, and under Advanced the path that ends a session.",
    next: "options",
  }),
  redirected: () => ({
    tone: "bad",
    title: "The address leads elsewhere",
    detail: "It answered with a redirect, which is never followed. Check the address.",
    next: "options",
  }),
  "rate-limited": ({ retryAfter }) => ({
    tone: "warn",
    title: "Too soon after the last request",
    detail: "The service wants a pause between requests. This one was not carried out.",
    next: "again",
    wait: waitOf(retryAfter),
  }),
  unreachable: () => ({
    tone: "bad",
    title: "No connection to the service",
    detail: "Nothing was sent. Check the network and the address.",
    next: "again",
  }),
  "service-error": ({ retryAfter }) => ({
    tone: "bad",
    title: "The service has a problem: it is not known whether the session ended",
    detail: `${WAIT_ADVICE} Trying again ends whatever session is live then.`,
    next: "again",
    wait: waitOf(retryAfter),
    isOpen: true,
  }),
  rejected: ({ httpStatus }) => ({
    tone: "bad",
    title: "The service refused the request",
    ...(httpStatus !== undefined && { detail: `It answered with status ${httpStatus}.` }),
    next: "id",
  }),
  "unexpected-answer": () => ({
    tone: "bad",
    title: "The service gave an unexpected answer",
    detail: "The session may have ended. Check the address, and under Advanced the path that ends a session.",
    next: "options",
    isOpen: true,
  }),
};

const WAIT_ADVICE = "Wait before you try again: the service may refuse a call that comes too soon.";

function stillUnknown({ retryAfter }: ErrorRecord): Outcome {
  return {
    tone: "warn",
    title: "It is still not known whether the session ended",
    detail: "The service wants a pause after the last request, so this one was not carried out.",
    next: "again",
    wait: waitOf(retryAfter),
    isOpen: true,
  };
}

function waitOf(retryAfter: number = COOLDOWN): number {
  return Math.max(1, Math.ceil(retryAfter / 1000));
}

const ORIGIN_MESSAGES: Record<OriginRefusal, Pick<Outcome, "title" | "detail">> = {
  "web-pages": {
    title: "The service refused a request from the browser",
    detail:
      "The session was not ended. Save the address in the options again, so that the browser may leave the Origin header out.",
  },
  "restricted-key": {
    title: "This token works only from certain web pages",
    detail: "The session was not ended. Enter a token without that restriction in the options.",
  },
  unclear: {
    title: "The service refuses this token from here",
    detail:
      "The session was not ended. Save the address in the options again; if that doesn't help, the token may work only from certain web pages: enter one without that restriction.",
  },
};

function otherwise({ message }: ErrorRecord): Outcome {
  return { tone: "bad", title: "The session could not be ended", detail: `${message}.`, next: "again" };
}

/** A wait as a button shows it. */
export function waitText(seconds: number): string {
  if (seconds < 120) return `${seconds} sec`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} min`;
}
