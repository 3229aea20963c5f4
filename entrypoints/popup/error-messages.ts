/** What the page says of errors, chosen by their code. */

import {
  isErrorCode,
  lacksWebhookId,
  type OriginRefusal,
  plainText,
  readOriginRefusal,
} from "../../core/extension.ts";
import type { ErrorCode, ErrorRecord } from "../../core/mod.ts";
import { type CamelCase, camelCase } from "../shared/camel-case.ts";
import { type Failure, isFault } from "../shared/fault.ts";
import { formatBytes, formatDuration, formatList } from "../shared/format.ts";
import { type Job, type JobSource, lacksFields } from "../shared/job.ts";
import { entryOf } from "../shared/record.ts";
import { SETTINGS, type Setting } from "../shared/settings.ts";
import { sourceKind } from "../shared/source-kinds.ts";
import { type PlainKey, t } from "../shared/translate.ts";
import { waitingKey } from "./message-catalogue.ts";

/** What happened, in a sentence or two that end with what helps. Each code has a message of its name. */
export function errorKey(code: ErrorCode): `error.${CamelCase<ErrorCode>}` {
  return `error.${camelCase(code)}`;
}

/** Other messages for a refused origin, where the service says which of both it is. */
const ORIGIN_KEYS: Partial<Record<OriginRefusal, PlainKey>> = {
  "web-pages": "error.originPages",
  "restricted-key": "error.originKey",
};

type About = Partial<Pick<Job, "source" | "fields" | "asset" | "fieldsLeftOut">>;

/** Errors whose cause the service alone can tell. */
const TOLD_BY_SERVICE: ReadonlySet<string> = new Set<ErrorCode>([
  ...(["forbidden", "rejected", "rate-limited", "service-error", "interrupted"] as const),
  ...(["location-refused", "upload-gone", "length-refused", "asset-failed"] as const),
]);

/** The service's own words where they tell the cause; empty where there are none that say anything. */
export function causeOf({ code, details = [] }: ErrorRecord): string {
  if (!TOLD_BY_SERVICE.has(code)) return "";
  const words = details.map((each) => plainText(each).trim());
  // What repeats a secret is hidden as a whole.
  return words.filter((each) => each !== "" && !each.startsWith("[hidden")).join("; ");
}

/** An error in sentences: what happened, and what the service itself said of it. */
export function errorSentences(error: Failure, about: About = {}): string[] {
  if (isFault(error)) return [lacksFields(about) ? leftOutSentences(about) : t("error.fault")];
  const key = keyFor(error, about);
  const sentences: string[] = [key === undefined ? error.message : t(key)];
  // What is wrong with it, or who takes nothing of that size, is only in the message.
  if (error.code === "invalid-request" || error.code === "invalid-option" || error.httpStatus === 413)
    sentences.push(withPeriod(error.message));
  if ((error.code === "rate-limited" || error.code === "interrupted") && error.retryAfter !== undefined)
    sentences.push(t("error.tryAgainIn", { time: formatDuration(error.retryAfter / 1000) }));
  const said = error.details?.filter((sentence) => sentence !== "") ?? [];
  if (said.length > 0) sentences.push(t("error.said", { words: said.join("; ") }));
  return sentences;
}

function leftOutSentences({ fieldsLeftOut = [] }: About): string {
  const { labels = {} }: Setting<unknown> = SETTINGS.fields;
  const fields = fieldsLeftOut.map((name) => t(entryOf(labels, name) ?? "options.videos"));
  return t("row.fieldsLeftOut", { fields: formatList(fields) });
}

/** The message for an error; none for a code of another version. */
function keyFor(
  { code, httpStatus, details = [] }: Exclude<Failure, { code: "fault" }>,
  { source, fields, asset }: About,
): PlainKey | undefined {
  if (source !== undefined && isPageInstead({ code, httpStatus }, source)) return "list.aPage";
  const sourceKey = source && entryOf(sourceKind(source).errorKeys, code);
  if (sourceKey !== undefined) return sourceKey;
  // Where there was an answer, it is not the connection that failed.
  if (code === "interrupted" && httpStatus !== undefined)
    return waitingKey(httpStatus === 429 ? "rate-limited" : "http-status");
  const refusal = code === "origin-refused" ? readOriginRefusal(details) : undefined;
  const originKey = refusal && ORIGIN_KEYS[refusal];
  if (originKey !== undefined) return originKey;
  if (code === "service-error" && asset === undefined && fields !== undefined && lacksWebhookId(fields))
    return "error.webhook";
  return isErrorCode(code) ? errorKey(code) : undefined;
}

/** True if a link that a person gave led to a page. On one that a page gave, a page in its place asks to sign in. */
export function isPageInstead(
  { code, httpStatus }: { code: string; httpStatus?: number | undefined },
  source: JobSource,
): boolean {
  return (
    code === "source-refused" && httpStatus === undefined && sourceKind(source).isAtAddress && !source.hasPage
  );
}

export function resumeSentence({ resume }: Failure, size: number | undefined): string {
  if (resume === undefined) return "";
  if (!resume.possible) return t("error.unfinishedStays", { id: resume.assetId });
  if (resume.offset === 0) return t("error.resumesAtStart");
  const part = formatBytes(resume.offset);
  if (size === undefined) return t("error.resumes", { part });
  return t("error.resumesOf", { part, size: formatBytes(size) });
}

function withPeriod(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
