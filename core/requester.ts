/**
 * Who asks for upload locations: a client, or anything with two members.
 *
 * @module
 */

import { digest } from "./digest.ts";
import type { Fetch } from "./http/fetch.ts";
import { type Journal, memoryJournal } from "./journal.ts";
import { refusedOption } from "./options.ts";
import type { AssetRequest, UploadLocation } from "./service/asset.ts";

/** Options of one call. */
export interface CallOptions {
  /** Ends the wait; the call then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds until the call fails without an answer. @default the client's */
  timeout?: number;
}

/**
 * Whoever can ask for a location: a client, or anything with these two members, for example a message to another
 * context or a call to a gateway. So a context without a token uploads with the same code.
 */
export interface Requester {
  /** Stands for base address and account in a journal; no secret. */
  readonly scope: string | (() => string | Promise<string>);
  /** Creates an asset and returns where its content goes. */
  requestUpload(request: AssetRequest, options: { signal: AbortSignal }): Promise<UploadLocation>;
  /**
   * Whether this requester is for one upload alone and gives the same answer when it is asked again. Otherwise a call
   * that ends while it asks leaves a note in the journal, and the next one says that an asset may exist.
   * @default false
   */
  readonly repeatable?: boolean;
  /** Used to read a video from a URL and to send it. @default the runtime's best way */
  readonly fetch?: Fetch;
  /** Further headers for the upload host. @default none */
  uploadHeaders?(): Promise<Record<string, string>>;
  /** Whether the upload host is sent the account's authorization by other means. @default false */
  authorizesUploads?(): Promise<boolean>;
}

/**
 * Checks that somebody can ask for a location.
 *
 * @param purpose completes "Cannot …"
 * @throws {InputError} `invalid-option`
 */
export function checkRequester(purpose: string, requester: Requester): void {
  if (typeof requester?.requestUpload === "function" && /^(string|function)$/.test(typeof requester.scope))
    return;
  const expected = "a client or anything with requestUpload() and scope";
  throw refusedOption(purpose, "the requester", requester, expected);
}

const journals = new WeakMap<Requester, Journal>();

/** The journal in memory of a requester that is given no other. */
export function journalOf(requester: Requester): Journal {
  const journal = journals.get(requester) ?? memoryJournal();
  journals.set(requester, journal);
  return journal;
}

/** The scope of a requester. */
export async function scopeOf({ scope }: Requester): Promise<string> {
  return typeof scope === "function" ? await scope() : scope;
}

/** What stands for the account of a scope in a journal. */
export async function accountOf(scope: string): Promise<string> {
  return (await digest([scope])).slice(0, 16);
}
