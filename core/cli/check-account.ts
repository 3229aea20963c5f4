/**
 * Checks address and token by a call that changes nothing: it asks the service to end a stream that nobody can have. Where the
 * token is right, the service says that it doesn't know that stream.
 */
import type { Client } from "../client.ts";
import { type ErrorCode, errorFromRecord, isUpcutError, type UpcutError } from "../errors.ts";

/** The outcome of a check. */
export type AccountCheck =
  /** The service accepts the token. */
  | "accepted"
  /** It knows the token, and doesn't let it end streams: uploads may be allowed all the same. */
  | "limited"
  /** It answered in a way that says nothing of the token. */
  | "unknown";

/** A check, and the path by which it could be made where that isn't the one that is set. */
export interface CheckedAccount {
  check: AccountCheck;
  path?: string;
}

/** Services have the call with the prefix of their other call, too, though their interface names it without. */
const OTHER_PATH = "/api/stream/{id}/terminate";

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
 * @param clientAt the account's client, with another path of the call where one is given
 * @throws {ServiceError} `unauthorized`, for a wrong token.
 * @throws {ConnectionError} where the address can't be reached.
 */
export async function checkAccount(
  clientAt: (path?: string) => Client,
  signal: AbortSignal,
): Promise<CheckedAccount> {
  const check = await checkWith(clientAt(), signal);
  if (check !== "unknown") return { check };
  const other = await checkWith(clientAt(OTHER_PATH), signal);
  return other === "unknown" ? { check } : { check: other, path: OTHER_PATH };
}

/** Checks by the client's own path. */
export async function checkWith(client: Client, signal: AbortSignal): Promise<AccountCheck> {
  try {
    await client.terminateStream(`upcut-check-${crypto.randomUUID()}`, { signal });
    // It ends what isn't there: other services' success.
    return "accepted";
  } catch (error) {
    const meaning = isUpcutError(error) ? MEANINGS[error.code] : undefined;
    if (meaning !== undefined) return meaning;
    throw isUpcutError(error) ? ofCheck(error) : error;
  }
}

/** The error in the words of a check: nobody wanted to end a stream. */
function ofCheck(error: UpcutError): UpcutError {
  const message = error.message
    .replace(/^Cannot terminate the stream session/, "Cannot check the account")
    .replace(/\. The session may have ended.*$/, "");
  return errorFromRecord({ ...error.toJSON(), message });
}
