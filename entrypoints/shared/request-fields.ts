/**
 * The fields of a create-asset request as a person types them: texts in, checked fields or problems out.
 *
 * Core decides what is wrong, here are only the words for it. What is left empty is absent from the request.
 */
import {
  type BrokenText,
  checkAssetRequest,
  findBrokenText,
  isUpcutError,
  REQUEST_FIELDS,
} from "../../core/validate.ts";
import type { UploadFields } from "./settings.ts";
import { type PlainKey, t } from "./translate.ts";

/** What was typed, or for each field with a problem one sentence. */
export type Reading<Value> = { value: Value } | { problems: Record<string, string> };

export type Policy = NonNullable<UploadFields["playbackPolicy"]>;
export type Profile = NonNullable<UploadFields["profiles"]>[number];

const POLICY_FIELDS = ["type", "webhookId", "webhookContext", "refreshInterval", "allowedOrigins"] as const;

export const PROFILE_FIELDS = [
  "name",
  "width",
  "height",
  "bitrate",
  "quality",
  "fps",
  "fpsDen",
  "encoder",
  "gop",
  "profile",
] as const;

export type Texts<Field extends string> = Record<Field, string>;

const INTEGERS = ["width", "height", "bitrate", "quality", "fps", "fpsDen", "refreshInterval"];

/** A playback policy; undefined where every field is empty. */
export function readPolicy(texts: Texts<(typeof POLICY_FIELDS)[number]>): Reading<Policy | undefined> {
  const policy: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const field of POLICY_FIELDS) {
    const text = texts[field].trim();
    if (text === "") continue;
    const read = field === "webhookContext" ? readJsonObject(text) : { value: typed(field, text) };
    if ("problem" in read) problems[field] = read.problem;
    else if (isRefused({ playbackPolicy: { [field]: read.value } }))
      problems[field] = problemWith(field, text);
    else policy[field] = read.value;
  }
  return reading(Object.keys(policy).length === 0 ? undefined : policy, problems);
}

/** A transcode profile; undefined where every field is empty. */
export function readProfile(texts: Texts<(typeof PROFILE_FIELDS)[number]>): Reading<Profile | undefined> {
  const profile: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const field of PROFILE_FIELDS) {
    const text = texts[field].trim();
    if (text === "") continue;
    const value = typed(field, text);
    if (isRefused({ profiles: [{ [field]: value }] })) problems[field] = problemWith(field, text);
    else profile[field] = value;
  }
  return reading(Object.keys(profile).length === 0 ? undefined : profile, problems);
}

/** Further request fields from JSON. */
export function readFurther(text: string): Reading<Record<string, unknown>> {
  if (text.trim() === "") return { value: {} };
  const read = readJsonObject(text);
  if ("problem" in read) return { problems: { further: read.problem } };
  const own = Object.keys(read.value).find((key) => Object.hasOwn(REQUEST_FIELDS, key));
  if (own !== undefined) return { problems: { further: t("problem.ownField", { field: own }) } };
  if (isRefused(read.value)) return { problems: { further: t("problem.deep") } };
  return { value: read.value };
}

/** The policy's fields as texts. */
export function policyTexts(policy: Policy | undefined): Texts<(typeof POLICY_FIELDS)[number]> {
  const { type, webhookId, webhookContext, refreshInterval, allowedOrigins } = policy ?? {};
  return {
    type: type ?? "",
    webhookId: webhookId ?? "",
    webhookContext: jsonText(webhookContext),
    refreshInterval: refreshInterval === undefined ? "" : String(refreshInterval),
    allowedOrigins: (allowedOrigins ?? []).join("\n"),
  };
}

/** The profile's fields as texts. */
export function profileTexts(profile: Profile): Texts<(typeof PROFILE_FIELDS)[number]> {
  const texts = PROFILE_FIELDS.map((field) => [field, String(profile[field] ?? "")] as const);
  return Object.fromEntries(texts) as Texts<(typeof PROFILE_FIELDS)[number]>;
}

/** An object as the JSON that a person edits; an empty one is no text. */
export function jsonText(value: Record<string, unknown> | undefined): string {
  return value === undefined || Object.keys(value).length === 0 ? "" : JSON.stringify(value, null, 2);
}

function typed(field: string, text: string): unknown {
  if (field === "allowedOrigins") return lines(text);
  // Core refuses the text where it expects an integer.
  return INTEGERS.includes(field) && /^[+-]?\d+$/.test(text) ? Number(text) : text;
}

function lines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

const BROKEN_TEXT_KEYS: Record<BrokenText, PlainKey> = {
  nul: "problem.nul",
  "half-character": "problem.half",
};

/** What is wrong with the characters of a text. */
export function brokenTextProblem(text: string): string | undefined {
  const broken = findBrokenText(text);
  return broken && t(BROKEN_TEXT_KEYS[broken]);
}

function problemWith(field: string, text: string): string {
  const broken = brokenTextProblem(text);
  if (broken !== undefined) return broken;
  return t(INTEGERS.includes(field) ? "problem.number" : "problem.unsendable");
}

function readJsonObject(text: string): { value: Record<string, unknown> } | { problem: string } {
  let exact = true;
  let broken: string | undefined;
  let value: unknown;
  try {
    value = JSON.parse(text, (key, item: unknown) => {
      // An escape of JSON, such as \\u0000, is no such character before it is read.
      broken ??= brokenTextProblem(key) ?? (typeof item === "string" ? brokenTextProblem(item) : undefined);
      // JavaScript would send another number than the one that was typed.
      if (Number.isInteger(item) && !Number.isSafeInteger(item)) exact = false;
      return item;
    });
  } catch {
    return { problem: t("problem.json") };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { problem: t("problem.object") };
  if (!exact) return { problem: t("problem.longNumber") };
  if (broken !== undefined) return { problem: broken };
  return { value: value as Record<string, unknown> };
}

/** True if core refuses a request with these fields. */
export function isRefused(request: unknown): boolean {
  try {
    checkAssetRequest(request);
    return false;
  } catch (error) {
    if (isUpcutError(error)) return true;
    throw error;
  }
}

function reading<Value>(value: Value, problems: Record<string, string>): Reading<Value> {
  return Object.keys(problems).length === 0 ? { value } : { problems };
}
