/** The options of `upload()`, checked before anything is sent. */
import * as v from "valibot";
import type { ClientOptions } from "../client.ts";
import { hashesPieces } from "../content/content-hash.ts";
import type { Hosts } from "../hosts/host.ts";
import { type RequestHooks, requestHooks } from "../http/observe.ts";
import { ownHeaders } from "../http/own-headers.ts";
import type { Journal } from "../journal/journal.ts";
import { journalOf } from "../journal/memory.ts";
import { journal } from "../journal/terms.ts";
import {
  abortSignal,
  amounts,
  callback,
  expected,
  flag,
  invalidOption,
  oneOf,
  readOptions,
  type SchemasOf,
} from "../options/checks.ts";
import type { Progress } from "../progress/progress.ts";
import { type AssetRequest, REQUEST_FIELD_NAMES, type RequestFields } from "../service/request-fields.ts";
import {
  canReadAssets,
  checkRequester,
  type GuardedRequester,
  type Requester,
} from "../service/requester.ts";
import { sourceOptions, type Uploadable } from "../source/open.ts";
import { PART_SIZE } from "../source/parts.ts";
import { isObject } from "../text/is-object.ts";
import {
  DEFAULT_RETRY,
  DEFAULT_TIMEOUTS,
  type RetryDecision,
  type RetrySettings,
  type TransferSettings,
} from "../transfer/request.ts";
import { bandwidthLimit } from "../transfer/transport.ts";
import { METHODS } from "./methods.ts";

/** The asset to ask for, the way to send it, and the functions to call meanwhile. */
export interface UploadOptions extends RequestFields, RequestHooks {
  /** File name, instead of the source's own. */
  filename?: string | undefined;
  /**
   * Media type, instead of the source's own, be it a video's or not. `any` takes a source of any type, with its own. With
   * another one, a text or a picture of a server stays no video.
   */
  type?: string | undefined;
  /** Bytes of a stream or a `Response` that can't tell its length. */
  size?: number | undefined;
  /** Further request fields, passed through; the interface document leaves two unnamed. */
  fields?: Record<string, unknown> | undefined;
  /**
   * How it is sent: resumably, directly, or `auto`, which sends up to 1 MiB directly.
   *
   * - `resumable` goes on at the last stored byte after an interruption (interface document: "Resumable upload")
   * - `direct` is one PUT, which begins again when it is interrupted: for small files and fast lines ("Direct upload")
   * - `auto` goes directly only where the service gives a location for it, without `uploadAuthorization`, `once` and `verify`
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
   * journal remembers it for its `keepDoneFor`; `discard()` takes it out, and `resume: false` starts over.
   *
   * The same source is the same content for the same account, service and request; only a `name` that is given counts. A file
   * is known by size, date and three samples of 64 KiB: a change between the samples that keeps size and date isn't seen. What
   * has no date (bytes, a Blob) is known by all its bytes, which are read once more; an address by its path and the version that its server names. One that names neither version nor length is uploaded
   * by each call, and a stream is refused (`invalid-option`).
   *
   * Where another call has the same source, this one waits for it. Without a `name`, what was begun without `once` is not
   * resumed. A `direct` upload that is killed at its last byte may become a second asset.
   * @default false
   */
  once?: boolean | undefined;
  /**
   * True to compare size and hash of what the service has stored with those of the source.
   *
   * The upload ends once the service's record of the asset names both: see `verified` of the result. Needs a requester that
   * reads assets, such as a client with `paths.asset`. A source other than a stream is read once more; with `once`, an earlier
   * upload is compared too. Other content ends in `content-differs`, an asset that failed before its hash was named in
   * `asset-failed`; that it couldn't be compared is no failure.
   *
   * A page can't hash piece by piece, and `true` is refused there (`invalid-option`). Give a function that opens a sha-256, whose
   * digest is in hex: `createSHA256` of the package hash-wasm, which needs 'wasm-unsafe-eval' in a Content-Security-Policy.
   * @default false
   */
  verify?: boolean | (() => Promise<{ update(bytes: Uint8Array): unknown; digest(): string }>) | undefined;
  /**
   * Stops the upload; what was sent is kept. `upload()` then rejects with the signal's reason. A request for a location that
   * is under way goes on by itself for a minute at most, so that the next call resumes its asset.
   */
  signal?: AbortSignal | undefined;
  /** Called often; an error it throws ends the upload. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Headers of your own for each request to the upload host, or a function that gives them. It is called once per request
   * with what `onRequest` is told: no address and no secret.
   *
   * The headers go to the hosts alone that the service named for this account: `createClient()` and `openUrl()` have `headers` of
   * their own. Where an upload is resumed for a requester without a token, they must be the same as before. Those of the
   * protocol are refused (`invalid-option`), such as `Authorization` and `Content-Length`. In a page, the host must allow them
   * by CORS. What the function throws ends the upload.
   */
  headers?: ClientOptions["headers"];
  /**
   * How often and how soon an interrupted transfer is tried again: a number stands for `attempts`, and `false` for none.
   *
   * Each wait is drawn between nothing and a bound that doubles with every attempt until a part (8 MiB) is stored, so that
   * uploads which broke together don't come back together. The first wait after a line that broke is no longer than a tenth of
   * the time it had held. A host that can't be reached, or doesn't find the upload, is tried every three seconds at most; these
   * tries don't count as attempts, and fill a wait that does, so that the upload goes on soon after.
   */
  retry?:
    | number
    | false
    | {
        /**
         * Attempts in a row until a part (8 MiB) is stored, before giving up. By default a service that fails is waited for
         * three minutes on average and six at most, one that can't be reached six, unless it asks for more. A host that has
         * never answered in this process gets three attempts, within 5 s or so, unless an earlier call began the upload. While
         * the machine knows that it is offline, nothing counts.
         * @default 18
         */
        attempts?: number | undefined;
        /** Milliseconds: upper end of the first wait; it doubles with each attempt. @default 200 */
        minDelay?: number | undefined;
        /** Milliseconds: no wait is longer, except one that the service asks for. @default 30000 */
        maxDelay?: number | undefined;
        /**
         * Decides whether a request to the upload host that failed is tried again, within the attempts.
         *
         * `false` ends the upload, which is kept. `true` also tries again what the host refused, such as a 403, and waits for as
         * long as the host asks. A number does too, after so many milliseconds. `undefined` leaves it: a host that asks for more
         * than five minutes ends the upload. What it throws ends the upload.
         */
        shouldRetry?:
          | ((failure: {
              /** Why, as in the progress of an upload that waits; `refused` for an answer after which an upload ends by itself. */
              readonly reason: NonNullable<Progress["waiting"]>["reason"] | "refused";
              /** HTTP status, where there was an answer. */
              readonly httpStatus: number | undefined;
              /** Milliseconds that the host asked to wait, if it did. */
              readonly retryAfter: number | undefined;
              /** The attempt that would follow: 1 for the first one since a part (8 MiB) was stored. */
              readonly attempt: number;
            }) => boolean | number | undefined | Promise<boolean | number | undefined>)
          | undefined;
      }
    | undefined;
  /** How long to wait for progress or an answer: a number of milliseconds stands for `stall` and `answer`. */
  timeout?:
    | number
    | {
        /**
         * Milliseconds without a byte handed over until a transfer counts as stalled. The same for a video that is read from
         * an address: without an answer of its server, or a byte of that.
         * @default 30000
         */
        stall?: number | undefined;
        /**
         * Least milliseconds for an answer after the last byte. Sockets hold some MiB back, so it grows to the time of
         * 8 MiB at the measured rate.
         * @default 60000
         */
        answer?: number | undefined;
        /**
         * Least milliseconds that the host's offset stands still before more is sent, after a request broke. The store
         * behind it goes on storing what it received, and what is sent meanwhile may be stored shifted or twice. It grows
         * to three times the slowest answer seen, 30 s at most; nothing is waited for where no whole part can be on its way.
         * @default 1000
         */
        settle?: number | undefined;
        /**
         * With `verify`: milliseconds until the service must have named the hash of what it has stored. It may first work on
         * the video for minutes.
         * @default 3600000
         */
        verify?: number | undefined;
      }
    | undefined;
  /**
   * Most bytes of one request, a multiple of 8 MiB; fewer go by themselves where a host or a proxy takes fewer. Streams hold
   * this much, and 8 MiB that come next; one of unknown length and over 80 GB needs more, since stores take 10,000 parts. With
   * 8388608 no store can lose one part of several and count a later one.
   * @default all whole parts; at most 25165824 for streams, and 8388608 in browsers for all but files and bytes to hosts with HTTP/2
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
  request: AssetRequest;
  journal: Journal;
  resume: boolean;
  once: boolean;
  verify: NonNullable<UploadOptions["verify"]>;
}

/** A call of `upload()`, or one of the uploads of a list: what it was given, checked before anything is done. */
export interface UploadCall {
  requester: GuardedRequester;
  /** The requester as it was given, which all its uploads share. */
  account: Requester;
  given: Uploadable;
  options: UploadOptions;
  settings: UploadSettings;
  /** Ends the upload: the caller's own, or `abort()`. */
  signal: AbortSignal;
  abort: (reason: unknown) => void;
  report: (progress: Progress) => void;
  onHandedOver: ((bytes: number) => void) | undefined;
  /** When the call began that an upload belongs to: milliseconds since 1970. */
  startedAt: number;
  /** True if it waits for another upload of the same source, with `once`. */
  waits: boolean;
  /** The habits of the hosts that were met. */
  hosts: Hosts;
  leave(): void;
}

/** Checked as fields of the request. */
const requestFields = Object.fromEntries(
  REQUEST_FIELD_NAMES.map((name) => [name, v.optional(v.unknown())]),
) as unknown as SchemasOf<RequestFields>;

/** Bytes per second. */
const bandwidth: v.GenericSchema<number | undefined> = v.optional(
  expected<number>(
    (rate) => typeof rate === "number" && rate >= 1024 && rate < Number.POSITIVE_INFINITY,
    "bytes per second, 1024 or more",
  ),
);

const { outageDelay: _, maxRetryAfter: __, ...ownLimits } = DEFAULT_RETRY;
const tries = amounts(ownLimits, ["attempts"], { shouldRetry: v.optional(callback<RetryDecision>()) });

/** How a host is tried again and waited for. */
export const limits: {
  retry: v.GenericSchema<unknown, RetrySettings>;
  timeout: v.GenericSchema<unknown, typeof DEFAULT_TIMEOUTS>;
} = {
  retry: v.optional(
    v.pipe(
      v.unknown(),
      v.transform((given) => (given === false ? 0 : given)),
      tries,
      v.transform((given) => ({ ...DEFAULT_RETRY, ...given })),
    ),
    {},
  ),
  timeout: amounts(DEFAULT_TIMEOUTS, ["stall", "answer"]),
};

const uploadOptions = v.strictObject({
  ...sourceOptions,
  ...requestFields,
  fields: v.optional(expected<Record<string, unknown>>(isObject, "an object"), {}),
  method: v.optional(oneOf(METHODS), "auto"),
  journal: v.optional(journal),
  resume: v.optional(flag, true),
  once: v.optional(flag, false),
  verify: v.optional(
    expected<UploadSettings["verify"]>(
      (value) => typeof value === "boolean" || typeof value === "function",
      "true, false or a function that opens a sha-256",
    ),
    false,
  ),
  signal: v.optional(abortSignal),
  onProgress: v.optional(callback<(progress: Progress) => void>()),
  headers: ownHeaders,
  ...limits,
  chunkSize: v.optional(
    expected<number>(
      (size) => Number.isSafeInteger(size) && Number(size) > 0 && Number(size) % PART_SIZE === 0,
      `a multiple of ${PART_SIZE} (8 MiB): services lose other parts`,
    ),
  ),
  bandwidth,
  ...requestHooks,
});

export function readUploadOptions(requester: Requester, options: UploadOptions): UploadSettings {
  checkRequester("upload", requester);
  const advice = ". Further request fields go into fields";
  const { fields, bandwidth: rate, ...own } = readOptions("upload", uploadOptions, options, advice);
  const named = REQUEST_FIELD_NAMES.find((name) => Object.hasOwn(fields, name));
  if (named !== undefined)
    throw invalidOption("upload", `fields.${named} has an option of its own: give ${named}`);
  if (own.verify && !canReadAssets(requester)) {
    const advice = "Give the client paths.asset, if the service has a call that reads an asset";
    throw invalidOption("upload", `verify needs to read the asset back. ${advice}`);
  }
  if (own.verify === true && !hashesPieces()) {
    const advice = "Give it a function that opens a sha-256, such as createSHA256 of the package hash-wasm";
    throw invalidOption("upload", `verify is true, and this runtime can't hash piece by piece. ${advice}`);
  }
  const given = REQUEST_FIELD_NAMES.filter((name) => options[name] !== undefined);
  return {
    ...own,
    request: { ...fields, ...Object.fromEntries(given.map((name) => [name, options[name]])) },
    // A direct upload that was killed at its last byte can't be told from one that never began.
    method: (own.once || own.verify) && own.method === "auto" ? "resumable" : own.method,
    journal: own.journal ?? journalOf(requester),
    bandwidth: rate === undefined ? undefined : bandwidthLimit(rate),
    hooks: options,
  };
}
