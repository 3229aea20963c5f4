/**
 * How a request reaches the upload host, as every way of sending offers it.
 *
 * @module
 */

import type { Slice } from "../source/source.ts";

/** One request to the upload host. */
export interface TransferRequest {
  /** HTTP method. */
  method: string;
  /** A secret. */
  url: string;
  /** Headers, all of them. */
  headers: Record<string, string>;
  /** The bytes to send, or `undefined` for a request without a body. */
  body: Slice | undefined;
  /** Ends the request: the caller's wish or a timer. */
  signal: AbortSignal;
  /** Called with the bytes of the body that were handed over so far. */
  onHandedOver(bytes: number): void;
  /** Awaited before the last byte of the body leaves, by transports that can hold it back. */
  beforeLastByte?(): Promise<void>;
}

/** What the upload host answered. */
export interface TransferAnswer {
  /** HTTP status. */
  status: number;
  /** Reads a header by its name in any case, or `undefined` where there is none. */
  header(name: string): string | undefined;
  /** The body as text. May hold secrets. */
  text: string;
}

/** A way to send requests. Rejects with an `Interruption`, an `UploadError` of the source, or the signal's reason. */
export interface Transport {
  /** Whether a body goes out while it is read; else it is a Blob, held or on disk. */
  readonly streams: boolean;
  /** Whether it may send a request again by itself when a kept connection broke, as browsers do. */
  readonly repeats: boolean;
  /** Whether it reports how much of a body has been handed over before the answer. */
  readonly reportsProgress: boolean;
  /** Bytes of a body that may have left beyond those that were reported. @default any number */
  readonly unreported?: number;
  /** Sends one request. */
  send(request: TransferRequest): Promise<TransferAnswer>;
}
