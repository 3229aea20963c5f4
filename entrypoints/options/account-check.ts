/** What the check of an account found, in words. Pure: the calls are the background's. */
import type { ErrorCode, ErrorRecord } from "../../core/mod.ts";
import { readOriginRefusal } from "../../core/validate.ts";
import { entryOf } from "../shared/entry-of.ts";
import { isFault } from "../shared/fault.ts";
import { formatNumber } from "../shared/format.ts";
import type { CheckResponse } from "../shared/messages.ts";
import { plainText } from "../shared/plain-text.ts";
import { type PlainKey, t } from "../shared/translate.ts";
import { hostOf } from "../shared/web-address.ts";
import { isPlain } from "./checks.ts";

/** What is checked, in this order. */
export const CHECKS = ["address", "permission", "service", "token"] as const;

export type Check = (typeof CHECKS)[number];

/** What may help: a field to fill in again, the path that was found, or another check. */
export type NextStep = { field: "address" | "token" } | { path: string } | "again";

export interface CheckLine {
  /** `open`: not checked yet; `busy`: being checked. */
  tone: "good" | "warn" | "bad" | "open" | "busy";
  text: string;
  /** The service's own words. */
  quote?: string;
  next?: NextStep;
}

export type CheckLines = Record<Check, CheckLine>;

const openService = (): CheckLine => ({ tone: "open", text: t("connection.serviceOpen") });
const openToken = (): CheckLine => ({ tone: "open", text: t("connection.tokenOpen") });
const bad = (text: string, next: NextStep): CheckLine => ({ tone: "bad", text, next });
const good = (key: PlainKey): CheckLine => ({ tone: "good", text: t(key) });

/** Before anything was asked: what the address itself tells. */
export function firstLines(address: string): CheckLines {
  const key = new URL(address).protocol === "https:" ? "connection.https" : "connection.local";
  const line: CheckLine = isPlain(address)
    ? { tone: "warn", text: t("connection.plain"), next: { field: "address" } }
    : good(key);
  return {
    address: line,
    permission: { tone: "busy", text: t("connection.allowing") },
    service: openService(),
    token: openToken(),
  };
}

/** The browser's answer; where it is yes, the service is asked. */
export function permissionLines(address: string, isAllowed: boolean): Omit<CheckLines, "address" | "token"> {
  const host = hostOf(address);
  if (!isAllowed)
    return {
      permission: { tone: "bad", text: t("connection.notAllowed", { host }) },
      service: openService(),
    };
  return {
    permission: { tone: "good", text: t("connection.allowed", { host }) },
    service: { tone: "busy", text: t("connection.asking", { host }) },
  };
}

/** What the response to the check says of service and token; null where none came. */
export function answerLines(
  address: string,
  response: CheckResponse | null,
): Pick<CheckLines, "service" | "token"> {
  const host = hostOf(address);
  const answers: CheckLine = { tone: "good", text: t("connection.answers", { host }) };
  if (response === null || "missing" in response)
    return { service: openService(), token: unknown(t("connection.fault")) };
  if ("ended" in response) return { service: answers, token: unknown(t("connection.oddAnswer")) };
  const { error, path } = response;
  if (isFault(error)) return { service: openService(), token: unknown(t("connection.fault")) };
  const token = entryOf(TOKEN_LINES, error.code);
  if (token !== undefined) return { service: answers, token: withQuote(token(error), error) };
  return { service: serviceLine(host, error.code, path), token: openToken() };
}

/** How the check ended, all lines together. An address in plain http is only warned of. */
export function toneOf({ permission, service, token }: CheckLines): "good" | "warn" | "bad" {
  const tones = [permission, service, token].map(({ tone }) => tone);
  if (tones.includes("bad")) return "bad";
  return tones.every((tone) => tone === "good") ? "good" : "warn";
}

/** A token that may not end streams, which is all that was asked, may still upload. */
function limited(key: PlainKey): CheckLine {
  return { tone: "warn", text: t(key), next: { field: "token" } };
}

function unknown(why: string): CheckLine {
  return { tone: "warn", text: t("connection.tokenUnknown", { why }), next: "again" };
}

/** Errors after which it is known that the service is there. */
const TOKEN_LINES: Partial<Record<ErrorCode, (error: ErrorRecord) => CheckLine>> = {
  "not-found": () => good("connection.tokenGood"),
  unauthorized: () => bad(t("connection.tokenBad"), { field: "token" }),
  forbidden: () => limited("connection.tokenForbidden"),
  "origin-refused": ({ details = [] }) => {
    const refusal = readOriginRefusal(details) ?? "unclear";
    if (refusal === "web-pages") return bad(t("error.originPages"), "again");
    if (refusal === "unclear") return bad(t("error.originRefused"), { field: "token" });
    return limited("connection.tokenRestricted");
  },
  "rate-limited": () => unknown(t("connection.rateLimited")),
  "service-error": () => unknown(t("connection.serviceError")),
  rejected: ({ httpStatus = 400 }) => unknown(t("connection.status", { status: formatNumber(httpStatus) })),
};

function withQuote(line: CheckLine, { details }: ErrorRecord): CheckLine {
  const quote = line.tone === "good" ? "" : (details ?? []).map(plainText).join("\n").trim();
  return quote === "" ? line : { ...line, quote };
}

function serviceLine(host: string, code: ErrorCode, path: string | undefined): CheckLine {
  if (path !== undefined) return bad(t("connection.otherPath", { host, path }), { path });
  switch (code) {
    case "wrong-address":
    case "unexpected-answer":
      return bad(t("connection.otherService", { host }), { field: "address" });
    case "redirected":
      return bad(t("connection.redirects", { host }), { field: "address" });
    default:
      return bad(t("connection.noAnswer", { host }), "again");
  }
}
