/**
 * One attempt to bring a source to its location: what the two methods share, and how they read a refusal.
 *
 * @module
 */

import { type ErrorCode, UploadError } from "../errors.ts";
import type { UploadRecord } from "../journal.ts";
import { readRetryAfter } from "../request.ts";
import { Interruption, isInterruption } from "../retry.ts";
import { readSentences } from "../sentences.ts";
import type { Slice, Source } from "../source/source.ts";
import type { Settling } from "./settling.ts";
import type { TransferAnswer, Transport } from "./transport.ts";

/** A request of an attempt; headers, signal, timers and counting are added by the upload. */
export interface TransferCall {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: Slice;
  /** Where in the source the body begins. @default 0 */
  start?: number;
}

/** What an attempt works with. */
export interface Transfer {
  readonly source: Source;
  /** Sent along as the file's name. */
  readonly filename: string;
  /** Sent along as the file's type, where one is known. */
  readonly filetype: string | undefined;
  /** Bytes of one request, or Infinity to send all the rest in one. */
  readonly chunkSize: number;
  /** Whether the location may have been used before, so that its first answer may be lost. */
  readonly locationUsed: boolean;
  readonly transport: Transport;
  /** What the host may still be storing of requests that broke. */
  readonly settling: Settling;
  readonly signal: AbortSignal;
  /** What the journal holds of this upload. */
  record(): UploadRecord;
  /** Writes the journal, if it can be written, before anything relies on it. */
  save(record: UploadRecord): Promise<void>;
  /** Takes the service's word for how many bytes it has. */
  acknowledge(offset: number): void;
  /** Waits, and tells that it is for the host's store. */
  waitForStore(milliseconds: number): Promise<void>;
  /** Sends a request; told the bytes of its body that were handed over so far. */
  send(call: TransferCall, onHandedOver?: (bytes: number) => void): Promise<TransferAnswer>;
}

/**
 * Turns an answer that is no success into what the upload does about it.
 *
 * @returns an `Interruption` to go on after, or the `UploadError` to end with
 */
export function refusalOf(transfer: Transfer, answer: TransferAnswer, at: "location" | "upload"): Error {
  const { status } = answer;
  const { location, uploadUrl, resumableLocation } = transfer.record();
  const { sentences, own } = readSentences(
    answer.text,
    answer.header("content-type") ?? "",
    secretsOf(location, uploadUrl, resumableLocation),
  );
  const said = sentences.length > 0 ? `: ${sentences.join("; ")}` : "";
  const retryAfter = readRetryAfter(answer.header("retry-after"));
  if (isInterruption(status))
    return new Interruption("status", `the upload host answered ${status}${said}`, { status, retryAfter });
  const [code, hint] = meaningOf(status, at);
  const error = new UploadError(code, `Cannot upload: the upload host answered ${status}${said}${hint}`, {
    status,
    sentences: own ? sentences : undefined,
  });
  // A host whose store is away says the same of an upload that is there; 410 is final.
  if (status === 404 && at === "upload")
    return new Interruption("not-found", `the upload host answered 404${said}`, {
      status,
      retryAfter,
      error,
    });
  return error;
}

function meaningOf(status: number, at: "location" | "upload"): [ErrorCode, string] {
  if (status === 404 || status === 410) {
    if (at === "upload") {
      return [
        "upload-gone",
        ". It doesn't have this upload any more: start a fresh one, which makes a new asset",
      ];
    }
    return [
      "location-refused",
      ". It doesn't know the upload location: start a fresh upload, which makes a new asset",
    ];
  }
  if (status === 401 || status === 403) {
    return [
      "location-refused",
      ". The upload location is no longer valid, or the host asks for the account's authorization",
    ];
  }
  if (status === 411)
    return [
      "length-refused",
      '. It must be told the length, which this runtime can\'t: use method "resumable"',
    ];
  if (status === 422 && at === "location") {
    return [
      "location-refused",
      ". The upload location has been used up: start a fresh upload, which makes a new asset",
    ];
  }
  return ["rejected", ""];
}

/** Everything about an address that an answer may echo. */
export function secretsOf(...addresses: (string | undefined)[]): string[] {
  return addresses.flatMap((address) => {
    if (address === undefined) return [];
    try {
      const { pathname, search, searchParams } = new URL(address);
      const last = pathname.split("/").at(-1) ?? "";
      return [address, pathname + search, pathname, search, last, ...searchParams.values()].filter(
        (part) => part.length > 7,
      );
    } catch {
      return [address];
    }
  });
}
