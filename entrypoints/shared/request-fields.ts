/**
 * The fields of a create-asset request as a person types them: texts in, checked fields or problems out.
 *
 * Core decides what is wrong, here are only the words for it. What is left empty is absent from the request.
 */
import * as v from "valibot";
import {
  type BrokenText,
  checkAssetRequest,
  findBrokenText,
  isObject,
  REQUEST_FIELDS,
  type RequestField,
  type RequestFields,
} from "../../core/extension.ts";
import { formatBytes, formatNumber } from "./format.ts";
import { isRefused } from "./is-refused.ts";
import { FIELD_NAMES, type UploadFields } from "./settings.ts";
import { type PlainKey, t } from "./translate.ts";

/** What was typed, or for each field with a problem one sentence. */
export type Reading<Value> = { value: Value } | { problems: Record<string, string> };

export type Policy = NonNullable<UploadFields["playbackPolicy"]>;
export type Profile = NonNullable<UploadFields["profiles"]>[number];

const POLICY_FIELDS = ["type", "webhookId", "webhookContext", "refreshInterval", "allowedOrigins"] as const;

const PROFILE_INTEGERS = ["width", "height", "bitrate", "quality", "fps", "fpsDen"] as const;
export const PROFILE_FIELDS = ["name", ...PROFILE_INTEGERS, "encoder", "gop", "profile"] as const;

type FieldName = (typeof FIELD_NAMES)[number];

export type Texts<Field extends string> = Record<Field, string>;

export const INTEGERS: readonly string[] = [...PROFILE_INTEGERS, "refreshInterval"];

/** Typed values, by the names of the controls: a text as it was typed, true where a box is checked. */
export type Typed = Readonly<Record<string, string | boolean>>;

export function typedFields(fields: RequestFields): Typed {
  return Object.fromEntries(FIELD_NAMES.flatMap((name) => typedField(name, fields[name] ?? undefined)));
}

function typedField(name: FieldName, value: unknown): [string, string | boolean][] {
  switch (REQUEST_FIELDS[name].control) {
    case "text":
      return [[name, String(value ?? "")]];
    case "switch":
      return [[name, value === true]];
    case "policy":
      return under("policy", policyTexts(value as Policy | undefined));
    case "profiles": {
      const profiles = (value ?? []) as Profile[];
      const rows = profiles.flatMap((profile, at) => under(`profiles-${at + 1}`, profileTexts(profile)));
      return [["profiles", profiles.map((_, at) => at + 1).join()], ...rows];
    }
  }
}

function under(name: string, texts: Record<string, string>): [string, string][] {
  return Object.entries(texts).map(([field, text]) => [`${name}-${field}`, text]);
}

const problemAt = (name: string, problem: string | undefined): Record<string, string> =>
  problem === undefined ? {} : { [name]: problem };

/** The numbers of the rows of profiles, which they keep while others come and go. */
export function profileRows({ profiles }: Typed): number[] {
  return String(profiles ?? "")
    .split(",")
    .filter(Boolean)
    .map(Number);
}

export const newProfile = (row: number): Typed =>
  Object.fromEntries(under(`profiles-${row}`, profileTexts({})));

/** The fields that are typed, but for those with problems, which are told by the names of their controls. */
export function readFields(typed: Typed): {
  value: Omit<RequestFields, "name">;
  problems: Record<string, string>;
} {
  const value: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  const textsAt = <Field extends string>(name: string, fields: readonly Field[]) =>
    Object.fromEntries(
      fields.map((field) => [field, String(typed[`${name}-${field}`] ?? "")]),
    ) as Texts<Field>;
  const take = (name: string, reading: Reading<unknown>) => {
    if ("value" in reading) return reading.value;
    for (const [field, problem] of Object.entries(reading.problems)) problems[`${name}-${field}`] = problem;
    return undefined;
  };
  const read: Record<RequestField["control"], (name: FieldName) => unknown> = {
    text(name) {
      const text = String(typed[name] ?? "").trim();
      if (text !== "") Object.assign(problems, problemAt(name, textProblem(name, text)));
      return text || undefined;
    },
    switch: (name) => typed[name] === true,
    policy: () => take("policy", readPolicy(textsAt("policy", POLICY_FIELDS))),
    profiles() {
      const rows = profileRows(typed).map((row) => `profiles-${row}`);
      const profiles = rows.map((row) => take(row, readProfile(textsAt(row, PROFILE_FIELDS))));
      const filled = profiles.filter((profile) => profile !== undefined);
      return filled.length === 0 ? undefined : filled;
    },
  };
  for (const name of FIELD_NAMES) value[name] = read[REQUEST_FIELDS[name].control](name);
  const given = Object.entries(value).filter(([, each]) => each !== undefined);
  return { value: Object.fromEntries(given), problems };
}

/** A playback policy; undefined where every field is empty. */
export function readPolicy(texts: Texts<(typeof POLICY_FIELDS)[number]>): Reading<Policy | undefined> {
  return readRecord(texts, (policy) => ({ playbackPolicy: policy }));
}

/** A transcode profile; undefined where every field is empty. */
export function readProfile(texts: Texts<(typeof PROFILE_FIELDS)[number]>): Reading<Profile | undefined> {
  return readRecord(texts, (profile) => ({ profiles: [profile] }));
}

/** @param requestWith a request of which the record is a part */
function readRecord<Value extends object>(
  texts: Record<string, string>,
  requestWith: (record: object) => object,
): Reading<Value | undefined> {
  const record: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const [field, given] of Object.entries(texts)) {
    const text = given.trim();
    if (text === "") continue;
    const read = field === "webhookContext" ? readJsonObject(text) : { value: typed(field, text) };
    if ("problem" in read) problems[field] = read.problem;
    else if (isRefused(() => checkAssetRequest(requestWith({ [field]: read.value }))))
      problems[field] = problemWith(field, text);
    else record[field] = read.value;
  }
  if (Object.keys(problems).length > 0) return { problems };
  return { value: Object.keys(record).length === 0 ? undefined : (record as Value) };
}

export function readFurther(text: string): Reading<Record<string, unknown>> {
  if (text.trim() === "") return { value: {} };
  const read = readJsonObject(text);
  if ("problem" in read) return { problems: { further: read.problem } };
  const own = Object.keys(read.value).find((key) => Object.hasOwn(REQUEST_FIELDS, key));
  if (own !== undefined) return { problems: { further: t("problem.ownField", { field: own }) } };
  if (isRefused(() => checkAssetRequest(read.value))) return { problems: { further: t("problem.deep") } };
  return { value: read.value };
}

export const policyTexts = (policy: Policy | undefined) => textsOf(policy ?? {}, POLICY_FIELDS);
export const profileTexts = (profile: Profile) => textsOf(profile, PROFILE_FIELDS);

function textsOf<Field extends string>(
  record: Partial<Record<Field, unknown>>,
  fields: readonly Field[],
): Texts<Field> {
  const texts = fields.map((field) => [field, textOf(record[field])]);
  return Object.fromEntries(texts) as Texts<Field>;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join("\n");
  return isObject(value) ? jsonText(value) : String(value ?? "");
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

function brokenTextProblem(text: string): string | undefined {
  const broken = findBrokenText(text);
  return broken && t(BROKEN_TEXT_KEYS[broken]);
}

/** The problem of a text for a field of a request, by what its schema says of it. */
export function textProblem(name: keyof RequestFields, text: string): string | undefined {
  const broken = brokenTextProblem(text);
  const [issue] = v.safeParse(REQUEST_FIELDS[name].schema, text).issues ?? [];
  if (broken !== undefined || issue === undefined) return broken;
  const { type, received, requirement } = issue;
  if (type !== "max_bytes" && type !== "max_length") return t("problem.unsendable");
  const [key, format] =
    type === "max_bytes"
      ? (["problem.longText", formatBytes] as const)
      : (["problem.manyCharacters", formatNumber] as const);
  return t(key, { size: format(Number(received)), most: format(Number(requirement)) });
}

export function nameProblem(name: string): string | undefined {
  return name.trim() === "" ? t("problem.noName") : textProblem("name", name);
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
  if (!isObject(value)) return { problem: t("problem.object") };
  if (!exact) return { problem: t("problem.longNumber") };
  if (broken !== undefined) return { problem: broken };
  return { value };
}
