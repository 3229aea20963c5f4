/** A create-asset request as it may leave (interface document: "Create-asset request body"). */
import * as v from "valibot";
import { InputError } from "../errors/errors.ts";
import { below, expectation, pathOf } from "../options/checks.ts";
import { describeValue, redact } from "../redaction/redaction.ts";
import { type Fields, isPlainObject, object, policy, profile } from "./asset-schema.ts";
import { type AssetRequest, REQUEST_FIELD_NAMES, REQUEST_FIELDS } from "./request-fields.ts";

const assetRequestSchema = object<AssetRequest>(
  Object.fromEntries(
    REQUEST_FIELD_NAMES.map((name) => [name, REQUEST_FIELDS[name].schema]),
  ) as Fields<AssetRequest>,
);

/** @throws {InputError} `invalid-request`, naming the field's path and what was found. */
export function checkAssetRequest(given: unknown): AssetRequest {
  const request = withoutGroups(given);
  const issue = v.safeParse(assetRequestSchema, request).issues?.[0];
  if (issue !== undefined) throw refused(pathOf(issue), issue.input, expectation(issue));
  // The schema's output lacks fields with names such as "constructor".
  return sendable(request, "") as AssetRequest;
}

/** The request as it leaves: the further fields of each record stand beside its others. */
function withoutGroups(given: unknown): unknown {
  const request = flat(given, "", REQUEST_FIELD_NAMES);
  if (!isPlainObject(request)) return request;
  const { playbackPolicy, profiles } = request;
  if (playbackPolicy !== undefined)
    request.playbackPolicy = flat(playbackPolicy, "playbackPolicy", Object.keys(policy));
  if (Array.isArray(profiles))
    request.profiles = profiles.map((each, at) => flat(each, `profiles[${at}]`, Object.keys(profile)));
  return request;
}

function flat(record: unknown, path: string, names: readonly string[]): unknown {
  if (!isPlainObject(record)) return record;
  const { fields, ...others } = record;
  if (fields === undefined) return others;
  const where = below(path, "fields");
  if (!isPlainObject(fields)) throw refused(where, fields, "an object");
  const named = names.find((name) => Object.hasOwn(fields, name));
  if (named !== undefined)
    throw invalid(`${where}.${named} has a field of its own: give ${below(path, named)}`);
  return { ...others, ...fields };
}

const BROKEN: Record<BrokenText, string> = {
  nul: "a NUL character",
  "half-character": "half a character (a lone surrogate)",
};

function checkText(text: string, what: string): void {
  const broken = findBrokenText(text);
  if (broken !== undefined) throw invalid(`${what} holds ${BROKEN[broken]}, which services refuse`);
}

function refused(path: string, input: unknown, expected: string): InputError {
  const found = describeValue(input);
  const where = path === "" ? `got ${found}` : `${path} is ${found}`;
  return invalid(`${where}, expected ${expected}`);
}

function invalid(state: string): InputError {
  return new InputError("invalid-request", redact(`Cannot request an upload location: ${state}`));
}

/**
 * True if a webhook policy names no webhook. Some services answer a bare 500 then, while the interface document
 * doesn't say that the id is required.
 */
export function lacksWebhookId({ playbackPolicy }: Pick<AssetRequest, "playbackPolicy">): boolean {
  const { type = "", webhookId = "" } = playbackPolicy ?? {};
  return type.trim().toLowerCase() === "webhook" && webhookId.trim() === "";
}

/** A value as JSON holds it: without fields that are `undefined`. */
function sendable(value: unknown, path: string, depth: number = 0): unknown {
  const inside = (item: unknown, key: unknown) => sendable(item, below(path, key), depth + 1);
  if (typeof value === "string") checkText(value, path);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (depth < 64 && Array.isArray(value)) return value.map(inside);
  if (depth < 64 && isPlainObject(value)) {
    const fields = Object.entries(value).filter(([, item]) => item !== undefined);
    const copies = fields.map(([key, item]) => {
      checkText(key, `the name of a field in ${path || "the request"}`);
      return [key, inside(item, key)];
    });
    return Object.fromEntries(copies);
  }
  throw refused(path, value, "a value that JSON can carry");
}

export type BrokenText = "nul" | "half-character";

/** Finds a NUL, or half of a surrogate pair. */
export function findBrokenText(text: string): BrokenText | undefined {
  if (text.includes("\0")) return "nul";
  return /\p{Surrogate}/u.test(text) ? "half-character" : undefined;
}
