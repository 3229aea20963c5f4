/**
 * The answer to request-upload, read once: an asset with an id, and locations that may be used.
 *
 * @module
 */

import type { Mismatch, UploadLocation } from "./asset.ts";
import { findMismatches } from "./asset-schema.ts";
import { isRecord } from "./record.ts";

/** Why an answer is none. */
export interface NoLocation {
  problem: string;
}

/**
 * Reads an answer to request-upload. Everything but `asset.id` and the locations is kept as it came; a location
 * that must not be used is left out and listed as a mismatch.
 *
 * @param secure whether locations must be https, as they must when the base address is
 * @param from who gave the answer: a requester has already listed mismatches, a service has no say in that
 */
export function readUploadLocation(
  answer: unknown,
  secure: boolean,
  from: "service" | "requester" = "requester",
): UploadLocation | NoLocation {
  if (!isRecord(answer)) return { problem: "the answer is no JSON object" };
  const { asset, mismatches: known, ...rest } = answer;
  if (!isRecord(asset)) return { problem: "the answer holds no asset" };
  if (typeof asset.id !== "string" || asset.id.trim() === "") return { problem: "the asset has no id" };
  const mismatches = from === "requester" && isMismatchList(known) ? [...known] : findMismatches(answer);
  const location: UploadLocation = { ...rest, asset: { ...asset, id: asset.id }, mismatches };
  for (const field of ["url", "tusEndpoint"] as const) {
    const problem = whyUnusable(rest[field], secure);
    if (problem === undefined) continue;
    delete location[field];
    if (!mismatches.some(({ path }) => path === field)) mismatches.push({ path: field, ...problem });
  }
  return location;
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
    return { expected: "http or https address", found: "string that is no address" };
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
      (each) => isRecord(each) && ["path", "expected", "found"].every((key) => typeof each[key] === "string"),
    )
  );
}
