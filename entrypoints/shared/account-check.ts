/** The check of an account: of what is entered, and of what the service answers. Pure: the calls are the background's. */

import {
  errorFacts,
  isLoopback,
  plainText,
  readBaseUrl,
  readOriginRefusal,
  readToken,
} from "../../core/extension.ts";
import type { ErrorCode, ErrorRecord } from "../../core/mod.ts";
import { isFault } from "./fault.ts";
import { formatNumber } from "./format.ts";
import { isRefused } from "./is-refused.ts";
import type { CheckResponse } from "./messages.ts";
import { entryOf } from "./record.ts";
import { type PlainKey, t } from "./translate.ts";
import { hostOf } from "./web-address.ts";

export interface CheckOutcome {
  /** `warn`: connected, as far as that could be checked. */
  tone: "good" | "warn" | "bad";
  text: string;
  /** The service's own words. */
  quote?: string;
  field?: "address" | "token";
}

/** Adds the scheme that a person leaves out of a host's name; anything else stays as it is. */
export function withScheme(text: string): string {
  const address = text.trim();
  const host = /^([\w.-]+)(:\d+)?(\/|$)/.exec(address)?.[1] ?? "";
  if (isLoopback(host.toLowerCase())) return `http://${address}`;
  return /^[\w-]+(\.[\w-]+)+$/.test(host) ? `https://${address}` : address;
}

/** True if a token sent there could be read on the way. */
export function isPlain(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !isLoopback(hostname);
}

export function addressProblem(address: string): string | undefined {
  if (address.trim() === "") return t("problem.noAddress");
  if (!isRefused(() => readBaseUrl(address))) return undefined;
  if (!URL.canParse(address.trim())) return t("problem.address");
  const { protocol, username, password, href } = new URL(address.trim());
  if (!/^https?:$/.test(protocol)) return t("problem.scheme", { scheme: protocol });
  if (username !== "" || password !== "") return t("problem.credentials");
  if (/^[^#]*\?/.test(href)) return t("problem.query");
  return t(href.includes("#") ? "problem.fragment" : "problem.unusableAddress");
}

/** The problem of a token, which the sentence doesn't repeat. */
export function tokenProblem(token: string): string | undefined {
  if (token.trim() === "") return t("problem.noToken");
  if (!isRefused(() => readToken(token))) return undefined;
  const own = token.trim().replace(/^Bearer(?:\s+|$)/i, "");
  if (own === "") return t("problem.emptyToken");
  return t(/\s/.test(own) ? "problem.spaceInToken" : "problem.unusableToken");
}

/** Of the browser, which lets nothing be asked. */
export function notAllowed(address: string): CheckOutcome {
  return { tone: "bad", text: t("connection.notAllowed", { host: hostOf(address) }) };
}

/** The outcome of a response to the check, or of none: null. */
export function checkOutcomeOf(address: string, response: CheckResponse | null): CheckOutcome {
  if (response === null) return unknown(t("connection.fault"));
  if ("missing" in response)
    return response.missing === "settings" ? unknown(t("connection.fault")) : notAllowed(address);
  if ("check" in response) return checked(response.check);
  const { error } = response;
  if (isFault(error)) return unknown(t("connection.fault"));
  const outcome = entryOf(OF_TOKEN, error.code)?.(error) ?? ofService(hostOf(address), error.code);
  return quoting(error, outcome);
}

function checked({
  token,
  endsStreams,
  error,
}: Extract<CheckResponse, { check: object }>["check"]): CheckOutcome {
  const found = error && entryOf(OF_TOKEN, error.code)?.(error);
  if (error && found) return quoting(error, found);
  if (token === "unknown") return unknown(t("connection.noCall"));
  return endsStreams ? { tone: "good", text: t("connection.good") } : limited("connection.noStreams");
}

function quoting({ details = [] }: ErrorRecord, outcome: CheckOutcome): CheckOutcome {
  const quote = details.map(plainText).join("\n").trim();
  return quote === "" ? outcome : { ...outcome, quote };
}

const badToken = (key: PlainKey): CheckOutcome => ({ tone: "bad", text: t(key), field: "token" });
/** A token that may not end streams, which is all that was asked, may still upload. */
const limited = (key: PlainKey): CheckOutcome => ({ tone: "warn", text: t(key) });
const unknown = (why: string): CheckOutcome => ({
  tone: "warn",
  text: t("connection.tokenUnknown", { why }),
});

/** Errors after which it is known that the service is there. */
const OF_TOKEN: Partial<Record<ErrorCode, (error: ErrorRecord) => CheckOutcome>> = {
  unauthorized: () => badToken("connection.tokenBad"),
  forbidden: () => limited("connection.tokenForbidden"),
  "origin-refused": ({ details = [] }) => {
    const refusal = readOriginRefusal(details) ?? "unclear";
    if (refusal === "web-pages") return { tone: "bad", text: t("error.originPages") };
    return refusal === "unclear" ? badToken("error.originRefused") : limited("connection.tokenRestricted");
  },
  "rate-limited": () => unknown(t("connection.rateLimited")),
  "service-error": () => unknown(t("connection.serviceError")),
  rejected: ({ httpStatus = 400 }) => unknown(t("connection.status", { status: formatNumber(httpStatus) })),
};

function ofService(host: string, code: ErrorCode): CheckOutcome {
  if (errorFacts(code).next !== "check-address")
    return { tone: "bad", text: t("connection.noAnswer", { host }) };
  const key = code === "redirected" ? "connection.redirects" : "connection.otherService";
  return { tone: "bad", text: t(key, { host }), field: "address" };
}
