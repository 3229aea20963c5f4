/**
 * What one attempt to bring a source to its location works with, whichever way it is sent.
 *
 * @module
 */

import type { UploadRecord } from "../journal/journal.ts";
import type { ReadableSource, Slice } from "../source/source.ts";
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
  /** Awaited before the last byte of the body leaves, by transports that can hold it back. */
  beforeLastByte?(): Promise<void>;
}

/** What an attempt works with. */
export interface Transfer {
  readonly source: ReadableSource;
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
  /** What an answer may echo of what was sent; `undefined` where others authorize the upload, and only they know. */
  secrets(): string[] | undefined;
  /** True if the last request went without the account's authorization, since nothing proves whose host it is. */
  isUnproven(): boolean;
  /** What the journal holds of this upload. */
  record(): UploadRecord;
  /** Writes the journal, if it can be written, before anything relies on it. */
  save(record: UploadRecord): Promise<void>;
  /** Notes how many bytes the service says it has. */
  acknowledge(offset: number): void;
  /** Waits for the host's store, and says so in the progress. */
  waitForStore(milliseconds: number): Promise<void>;
  /** Sends a request; `onHandedOver` is given the bytes of its body that were handed over so far. */
  send(call: TransferCall, onHandedOver?: (bytes: number) => void): Promise<TransferAnswer>;
}
