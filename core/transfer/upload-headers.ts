/** The requester's headers and the caller's own for the upload host: for the hosts that the service named, and no other. */
import { authenticate, canonical } from "../digest.ts";
import { secretsIn, withoutScheme } from "../http/own-headers.ts";
import type { UploadRecord } from "../journal/journal.ts";
import type { GuardedRequester } from "../requester.ts";

export interface UploadHeaders {
  headers: Record<string, string>;
  /** The texts in them that an answer may echo. */
  secrets: string[];
  /** True if they are kept back because nothing proves that the service named the host to this account. */
  isUnproven: boolean;
}

export function originsOf(...locations: unknown[]): string[] {
  const known = locations.filter((location) => typeof location === "string" && URL.canParse(location));
  return [...new Set(known.map((location) => new URL(String(location)).origin))];
}

/**
 * The headers for an address: none where the service didn't name its host to this account. A journal tells which hosts it
 * named, and may have been written by somebody else.
 *
 * @param own gives the caller's own headers, knowing the secrets among the requester's
 */
export async function uploadHeadersFor(
  requester: GuardedRequester,
  { origins = [], proof }: UploadRecord,
  url: string,
  own: (secrets: string[]) => Promise<Record<string, string>>,
): Promise<UploadHeaders> {
  const account = (await requester.uploadHeaders?.()) ?? {};
  const headers = { ...(await own(secretsIn(account))), ...account };
  const secrets = secretsIn(headers);
  const { origin } = new URL(url);
  const keeps = (isUnproven: boolean) => ({ headers: {}, secrets, isUnproven });
  if (Object.keys(headers).length === 0 || originsOf(...requester.locations).includes(origin))
    return { headers, secrets, isUnproven: false };
  const keys = [...(await requester.tokens()), keyIn(headers)];
  const proofs = await Promise.all(keys.map((key) => authenticate(key, origins)));
  if (proof === undefined || !proofs.includes(proof)) return keeps(true);
  return origins.includes(origin) ? { headers, secrets, isUnproven: false } : keeps(false);
}

/** Proves to a later call that the service named hosts to this account; nothing where there is no authorization. */
export async function proofOf(
  requester: GuardedRequester,
  headers: Record<string, string>,
  origins: string[],
): Promise<string | undefined> {
  const own = Object.keys(headers).length === 0 ? undefined : keyIn(headers);
  const key = (await requester.tokens()).at(-1) ?? own;
  return key === undefined ? undefined : await authenticate(key, origins);
}

/** The part of the headers that only the account's owner knows. */
function keyIn(headers: Record<string, string>): string {
  const [, authorization = ""] =
    Object.entries(headers).find(([name]) => /^authorization$/i.test(name)) ?? [];
  return withoutScheme(authorization) || canonical(headers);
}
