/**
 * The answer to request-upload, read once: an asset with an id, and locations that may be used.
 *
 * @module
 */

import { isObject } from "../is-object.ts";
import type { Mismatch, UploadLocation } from "./asset.ts";
import { findMismatches } from "./asset-schema.ts";

/** What was read here: frozen, so that it need not be read again where a client hands it to an upload. */
const read = new WeakSet<object>();

/**
 * Reads a service's answer to request-upload. Everything but `asset.id` and the locations is kept as it came; a
 * location that must not be used is left out and listed as a mismatch.
 *
 * @param secure whether locations must be https, as they must when the base address is
 * @returns the location, frozen, or why there is none
 */
export function readUploadLocation(answer: unknown, secure: boolean): UploadLocation | string {
  return readAnswer(answer, secure, findMismatches);
}

/** Reads what a requester gave, which may be anybody's: one that has listed mismatches has read the service's answer. */
export function receiveUploadLocation(given: UploadLocation): UploadLocation | string {
  if (isObject(given) && read.has(given)) return given;
  return readAnswer(given, false, (answer) =>
    isMismatchList(answer.mismatches) ? [...answer.mismatches] : findMismatches(answer),
  );
}

function readAnswer(
  answer: unknown,
  secure: boolean,
  mismatchesOf: (answer: Record<string, unknown>) => Mismatch[],
): UploadLocation | string {
  if (!isObject(answer)) return "the answer is not a JSON object";
  const { asset, ...rest } = answer;
  if (!isObject(asset)) return "the answer holds no asset";
  if (typeof asset.id !== "string" || asset.id.trim() === "") return "the asset has no id";
  const mismatches = mismatchesOf(answer);
  const known = Object.freeze({ ...asset, id: asset.id });
  const location: UploadLocation = { ...rest, asset: known, mismatches };
  for (const field of ["url", "tusEndpoint"] as const) {
    const problem = whyUnusable(rest[field], secure);
    if (problem === undefined) continue;
    delete location[field];
    if (!mismatches.some(({ path }) => path === field)) mismatches.push({ path: field, ...problem });
  }
  read.add(location);
  return Object.freeze(location);
}

/** Whether a host is this machine, where a plain http location gives nothing away. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}

function whyUnusable(value: unknown, secure: boolean): { expected: string; found: string } | undefined {
  if (typeof value !== "string") return { expected: "http or https address", found: typeof value };
  let address: URL;
  try {
    address = new URL(value);
  } catch {
    return { expected: "http or https address", found: "invalid address" };
  }
  if (address.protocol === "https:") return undefined;
  if (address.protocol !== "http:") {
    return { expected: "http or https address", found: `${address.protocol.slice(0, 20)} address` };
  }
  if (!secure || isLoopback(address.hostname)) return undefined;
  return { expected: "https address, as the base address is", found: "http address" };
}

function isMismatchList(value: unknown): value is Mismatch[] {
  return (
    Array.isArray(value) &&
    value.every(
      (each) => isObject(each) && ["path", "expected", "found"].every((key) => typeof each[key] === "string"),
    )
  );
}
