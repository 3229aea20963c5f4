/**
 * The options of `upload()`, checked before anything is sent.
 *
 * @module
 */

import * as v from "valibot";
import type { RequestHooks } from "../http/observe.ts";
import { type OwnHeaders, ownHeaders } from "../http/own-headers.ts";
import { isObject } from "../is-object.ts";
import type { Journal } from "../journal/journal.ts";
import {
  abortSignal,
  amounts,
  callback,
  expected,
  flag,
  invalidOption,
  journal,
  oneOf,
  readOptions,
  requestHooks,
  type SchemasOf,
} from "../options.ts";
import type { Progress } from "../progress/progress.ts";
import { canReadAssets, checkRequester, journalOf, type Requester } from "../requester.ts";
import { type AssetRequest, REQUEST_FIELD_NAMES, type RequestFields } from "../service/request-fields.ts";
import { type SourceOptions, sourceOptions } from "../source/open.ts";
import { PART_SIZE } from "../source/parts.ts";
import { bandwidthLimit } from "../transfer/bandwidth.ts";
import { DEFAULT_TIMEOUTS, type Timeouts, type TransferSettings } from "../transfer/request.ts";
import { DEFAULT_RETRY, type RetryDecision, type RetryOptions } from "../transfer/retry.ts";

/** The asset to ask for, the way to send it, and the functions to call meanwhile. */
export interface UploadOptions extends RequestFields, SourceOptions, RequestHooks {
  /** Further request fields, passed through; the interface document leaves two unnamed. */
  fields?: Record<string, unknown> | undefined;
  /**
   * How it is sent.
   *
   * - `resumable` goes on at the last stored byte after an interruption (interface document: "Resumable upload")
   * - `direct` is one PUT, which begins again when it is interrupted: for small files and fast lines ("Direct upload")
   * - `auto` sends up to 1 MiB directly, if the service gives a location for it and both `uploadAuthorization` and `once`
   *   are off, and anything else resumably
   *
   * @default "auto"
   */
  method?: "auto" | "resumable" | "direct" | undefined;
  /**
   * Remembers the upload until it is whole. If it can't be written, the call fails before an asset is made; if it fails
   * later, the upload goes on and its progress says so.
   * @default a journal in memory, one per requester
   */
  journal?: Journal | undefined;
  /** True to resume an unfinished upload of this source, false to start over as a new asset. @default true */
  resume?: boolean | undefined;
  /**
   * True to give the earlier result, with the same asset, for a source that was uploaded before. The
   * journal remembers it for its `keepDoneFor`; `forget()` takes it out, and `resume: false` starts over.
   *
   * The same source is the same content for the same account, address of the service and request. Only a `name` that is
   * given counts, not what the file is called. A file is known by size, date and three samples of 64 KiB; what has no date
   * (bytes, a Blob) by all its bytes, which are read once more; an address by its path and the version that its server
   * names. One that names neither version nor length is uploaded by each call, and a stream is refused (`invalid-option`).
   *
   * Where another call has the same source, this one waits for it. Without a `name`, what was begun without `once` is not
   * resumed with it, since the file's name counts there. A `direct` upload that is killed at its last byte may
   * become a second asset.
   * @default false
   */
  once?: boolean | undefined;
  /**
   * True to end the upload only when the service's record of the asset names the size and the hash of its content,
   * and both are compared with the source: see `verified` of the result. Needs a requester that reads assets, such as a
   * client with `paths.asset`; in browsers the package hash-wasm too. A source other than a stream is read once more.
   * @default false
   */
  verify?: boolean | undefined;
  /** Stops the upload; what was sent is kept. `upload()` then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called often; an error it throws ends the upload. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Headers of your own for each request to the upload host, or a function that gives them, called once per request with
   * what `onRequest` is told: no address and no secret.
   *
   * They go to the hosts alone that the service named for this account, never to its base address (`createClient` has
   * `headers` of its own) nor to the address of a video (`sourceHeaders`). Where another call resumes an upload for a
   * requester without a token, they go along only if they are the same ones as before. Those of the protocol are refused
   * (`invalid-option`): `Authorization`, `Upload-…`, `Tus-…`, `Content-Length` and their like. In a page, the host must allow
   * them by CORS. What the function throws ends the upload.
   */
  headers?: OwnHeaders | undefined;
  /** How often and how soon an interrupted transfer is tried again. */
  retry?: RetryOptions | undefined;
  /**
   * Decides whether a request to the upload host that failed is tried again. `false` ends the upload, which is kept;
   * `true` also tries again what the host refused, such as a 403, within the attempts of `retry`; `undefined` leaves it. What
   * it throws ends the upload.
   */
  onShouldRetry?: RetryDecision | undefined;
  /** How long to wait for progress or an answer. */
  timeouts?: Timeouts | undefined;
  /**
   * Most bytes of one request, a multiple of 8 MiB, for proxies that limit a body. Streams hold this much; one of
   * unknown length and over 80 GB needs more than 8 MiB, since stores take 10,000 parts.
   * @default all whole parts of a source that can be read again; 8388608 for streams, and in browsers
   */
  chunkSize?: number | undefined;
  /**
   * Most bytes that leave in a second, from 1024. In a browser each request (8 MiB) leaves as fast as it can, and the next
   * one waits. Some services end a request after five minutes: below 28 kB per second no part of 8 MiB gets through those.
   * @default no limit
   */
  bandwidth?: number | undefined;
}

/** `UploadOptions` with the defaults filled in. */
export interface UploadSettings extends TransferSettings {
  /** The request's fields that were given. */
  request: AssetRequest;
  journal: Journal;
  resume: boolean;
  once: boolean;
  verify: boolean;
}

/** Checked as fields of the request. */
const requestFields = Object.fromEntries(
  REQUEST_FIELD_NAMES.map((name) => [name, v.optional(v.any())]),
) as unknown as SchemasOf<RequestFields>;

/** Bytes per second. */
export const bandwidth: v.GenericSchema<number | undefined> = v.optional(
  expected<number>(
    (rate) => typeof rate === "number" && rate >= 1024 && rate < Number.POSITIVE_INFINITY,
    "bytes per second, 1024 or more",
  ),
);

const uploadOptions = v.strictObject({
  ...sourceOptions,
  ...requestFields,
  fields: v.optional(expected<Record<string, unknown>>(isObject, "an object"), {}),
  method: v.optional(oneOf(["auto", "resumable", "direct"]), "auto"),
  journal: v.optional(journal),
  resume: v.optional(flag, true),
  once: v.optional(flag, false),
  verify: v.optional(flag, false),
  signal: v.optional(abortSignal),
  onProgress: v.optional(callback<(progress: Progress) => void>()),
  headers: ownHeaders,
  retry: amounts<RetryOptions>(DEFAULT_RETRY),
  onShouldRetry: v.optional(callback<RetryDecision>()),
  timeouts: amounts<Timeouts>(DEFAULT_TIMEOUTS),
  chunkSize: v.optional(
    expected<number>(
      (size) => Number.isSafeInteger(size) && Number(size) > 0 && Number(size) % PART_SIZE === 0,
      `a multiple of ${PART_SIZE} (8 MiB): services lose other parts`,
    ),
  ),
  bandwidth,
  ...requestHooks,
} satisfies SchemasOf<UploadOptions>);

/**
 * Checks the options and fills in their defaults.
 *
 * @throws {InputError} `invalid-option`, naming the option and what was found.
 */
export function readUploadOptions(requester: Requester, options: UploadOptions): UploadSettings {
  checkRequester("upload", requester);
  const advice = ". Further request fields go into fields";
  const { fields, method, resume, once, verify, retry, timeouts, chunkSize, ...rest } = readOptions(
    "upload",
    uploadOptions,
    options,
    advice,
  );
  const own = REQUEST_FIELD_NAMES.find((name) => Object.hasOwn(fields, name));
  if (own !== undefined) throw invalidOption("upload", `fields.${own} has an option of its own: give ${own}`);
  if (verify && !canReadAssets(requester)) {
    const advice = "Give the client paths.asset, if the service has a call that reads an asset";
    throw invalidOption("upload", `verify needs to read the asset back. ${advice}`);
  }
  const given = REQUEST_FIELD_NAMES.filter((name) => options[name] !== undefined);
  return {
    request: { ...fields, ...Object.fromEntries(given.map((name) => [name, options[name]])) },
    // A direct upload that was killed at its last byte can't be told from one that never began.
    method: once && method === "auto" ? "resumable" : method,
    journal: rest.journal ?? journalOf(requester),
    resume,
    once,
    verify,
    retry,
    timeouts,
    chunkSize,
    bandwidth: rest.bandwidth === undefined ? undefined : bandwidthLimit(rest.bandwidth),
    hooks: options,
    headers: rest.headers,
    onShouldRetry: rest.onShouldRetry,
  };
}
