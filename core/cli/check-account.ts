/**
 * Checks address and token by a call that changes nothing: it asks the service to end a stream that nobody can have. Where the
 * token is right, the service says that it doesn't know that stream.
 *
 * @module
 */

import type { Client } from "../client.ts";
import { type ErrorCode, isUpcutError } from "../errors.ts";

/** What a check showed. */
export type AccountCheck =
  /** The service accepts the token. */
  | "accepted"
  /** It knows the token, and doesn't let it end streams: uploads may be allowed all the same. */
  | "limited"
  /** It answered in a way that says nothing of the token. */
  | "unknown";

/** Errors that say as much as a success. */
const MEANINGS: Partial<Record<ErrorCode, AccountCheck>> = {
  "not-found": "accepted",
  forbidden: "limited",
  "origin-refused": "limited",
  "wrong-address": "unknown",
  "rate-limited": "unknown",
  rejected: "unknown",
  "service-error": "unknown",
  "unexpected-answer": "unknown",
};

/**
 * Checks an account.
 *
 * @throws {ServiceError} `unauthorized`, for a wrong token.
 * @throws {ConnectionError} where the address can't be reached.
 */
export async function checkWith(client: Client, signal: AbortSignal): Promise<AccountCheck> {
  try {
    await client.terminateStream(`upcut-check-${crypto.randomUUID()}`, { signal });
    // It ends what isn't there: other services' success.
    return "accepted";
  } catch (error) {
    const meaning = isUpcutError(error) ? MEANINGS[error.code] : undefined;
    if (meaning === undefined) throw error;
    return meaning;
  }
}
