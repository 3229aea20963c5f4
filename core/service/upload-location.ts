/** The answer to request-upload, read once: an asset with an id, and locations that may be used. */
import * as v from "valibot";
import { ServiceError, UploadError } from "../errors/errors.ts";
import { isLoopback } from "../hosts/loopback.ts";
import { describeValue, redact } from "../redaction/redaction.ts";
import { isObject } from "../text/is-object.ts";
import type { Mismatch, UploadLocation } from "./asset.ts";
import { findMismatches, MOST_MISMATCHES, withFields } from "./asset-schema.ts";

/** The fields of an answer that are locations. */
export const LOCATIONS = ["url", "tusEndpoint"] as const;

/**
 * Reads an answer to request-upload. Everything but `asset.id` and the locations is kept as it came; a location that must not be
 * used is left out and listed as a mismatch.
 *
 * @param baseUrl where the service answered: locations must be https where it is, and lie on this machine only if it does; none
 * for what a requester gave, which may have listed the mismatches of the service's answer
 * @returns the location, frozen, or why there is none
 */
export function readUploadLocation(answer: unknown, baseUrl?: string): UploadLocation | string {
  if (!isObject(answer)) return "the answer is not a JSON object";
  if (!isRecordSized(answer)) return "the answer is larger or deeper than any asset";
  const { asset, mismatches: listed, ...rest } = answer;
  if (!isObject(asset)) return "the answer holds no asset";
  if (typeof asset.id !== "string" || asset.id.trim() === "") return "the asset has no id";
  const isListed = baseUrl === undefined && v.is(mismatchList, listed);
  const most = MOST_MISMATCHES + LOCATIONS.length;
  const mismatches: Mismatch[] = isListed ? listed.slice(0, most) : findMismatches(answer);
  const known = withFields({ ...asset, id: asset.id });
  const location: UploadLocation = { ...rest, asset: known, mismatches };
  const base = baseUrl === undefined ? undefined : new URL(baseUrl);
  for (const field of LOCATIONS) {
    const problem = whyUnusable(rest[field], base);
    if (problem === undefined) continue;
    delete location[field];
    if (!mismatches.some(({ path }) => path === field)) mismatches.push({ path: field, ...problem });
  }
  return Object.freeze(location);
}

type Found = Pick<Mismatch, "expected" | "found">;

export const REFUSED = {
  invalid: "invalid address",
  scheme: "address of another kind",
  credentials: "address with a user name or password",
  insecure: "http address",
  loopback: "http address on this machine",
};

/**
 * The error for an asset that came without a location to use: `location-refused` where one was given that must not be used.
 *
 * @param cannot begins the message: "Cannot …"
 * @param fields those of the locations that would do
 */
export function withoutLocation(
  cannot: string,
  { asset, mismatches }: Pick<UploadLocation, "asset" | "mismatches">,
  fields: readonly string[],
  { secrets, httpStatus }: { secrets: string[]; httpStatus?: number },
): UploadError | ServiceError {
  const found = mismatches.filter(({ path }) => fields.includes(path));
  const why = found.map((each) => `${each.path}: expected ${each.expected}, found ${each.found}`).join("; ");
  const id = describeValue(asset.id, secrets);
  const state = `asset ${id} was created without a usable location (${redact(why, secrets)})`;
  const isRefused = found.some((each) => Object.values(REFUSED).includes(each.found));
  const message = redact(`${cannot}: ${state}`);
  if (isRefused) return new UploadError("location-refused", message, { httpStatus });
  return new ServiceError("unexpected-answer", message, { httpStatus });
}

/**
 * Why nothing may be sent to an address; `undefined` where it may.
 *
 * @param base the address that named it: what lies on this machine, and what isn't https, only such a one may name
 */
export function whyUnusable(value: unknown, base: URL | undefined): Found | undefined {
  const expected = "http or https address";
  if (typeof value !== "string") return { expected, found: typeof value };
  if (!URL.canParse(value)) return { expected, found: REFUSED.invalid };
  const { protocol, username, password, hostname } = new URL(value);
  if (!/^https?:$/.test(protocol)) return { expected, found: REFUSED.scheme };
  if (username !== "" || password !== "") return { expected, found: REFUSED.credentials };
  if (protocol === "https:" || base === undefined) return undefined;
  if (isLoopback(hostname))
    return isLoopback(base.hostname)
      ? undefined
      : { expected: "address that is not on this machine", found: REFUSED.loopback };
  return base.protocol === "http:"
    ? undefined
    : { expected: "https address, as the base address is", found: REFUSED.insecure };
}

/** Texts of mismatches that a client of this module tells are never longer. */
const shortText = v.pipe(v.string(), v.maxLength(200));
const mismatchList = v.array(v.looseObject({ path: shortText, expected: shortText, found: shortText }));

/** Lists and objects inside each other. Looking through more would take time and memory. */
const DEEPEST = 32;
/** Fields and entries, all together; real records have some hundred. */
const MOST_VALUES = 20_000;

export function isRecordSized(value: unknown): boolean {
  let values = 0;
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    values += level.length;
    if (depth > DEEPEST) return false;
    const next: unknown[] = [];
    for (const each of level) {
      const children: unknown[] = typeof each === "object" && each !== null ? Object.values(each) : [];
      if (values + next.length + children.length > MOST_VALUES) return false;
      next.push(...children);
    }
    level = next;
  }
  return true;
}
