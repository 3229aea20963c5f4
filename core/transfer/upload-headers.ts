/**
 * The requester's own headers for the upload host: for the hosts that the service named, and no other.
 *
 * @module
 */

import type { UploadRecord } from "../journal/journal.ts";
import type { Requester } from "../requester.ts";

/** What the upload host is sent beside the protocol's headers. */
export interface UploadHeaders {
  headers: Record<string, string>;
  /** What an answer may echo of them. */
  secrets: string[];
}

/** The origins of the locations that the service gave. */
export function originsOf(...locations: unknown[]): string[] {
  const known = locations.filter((location) => typeof location === "string" && URL.canParse(location));
  return [...new Set(known.map((location) => new URL(String(location)).origin))];
}

/** The requester's headers for an address: none where an upload URL lies at a host that the service didn't name. */
export async function uploadHeadersFor(
  requester: Requester,
  { origins, location }: UploadRecord,
  url: string,
): Promise<UploadHeaders> {
  const headers = (await requester.uploadHeaders?.()) ?? {};
  const secrets = Object.values(headers).flatMap((value) => [value, value.replace(/^\w+ +/, "")]);
  const isNamed = (origins ?? originsOf(location)).includes(new URL(url).origin);
  return { headers: isNamed ? headers : {}, secrets };
}
