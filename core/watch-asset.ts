/** Follows an asset until it can be watched: services work on a video for minutes after its last byte, and may fail. */
import * as v from "valibot";
import { canonical } from "./content/digest.ts";
import { isUpcutError } from "./errors/errors.ts";
import { abortSignal, milliseconds, readOptions } from "./options/checks.ts";
import type { AssetRecord, UploadLocation } from "./service/asset.ts";
import type { Requester } from "./service/requester.ts";
import { delay, delayUntil, untilAborted } from "./time/abort.ts";
import { startTimer, steadyNow } from "./time/clock.ts";

/** A record of an asset that differs from the one before. */
export type AssetChange = Awaited<ReturnType<ReturnType<typeof watchAsset>["next"]>>["value"] & object;

/** Milliseconds between two requests of all that watch by one client. */
const GAP = 500;
/** Milliseconds in which a service may not know its new asset yet. */
const UNKNOWN_AT_FIRST = 60_000;
/** Milliseconds that a service is left alone which says that it was asked too often, unless it names a time. */
const PAUSE = 10_000;
/** Each wait lasts between this share of its bound and all of it, so that many don't ask at the same time. */
const LEAST_SHARE = 0.75;

const watchOptions = v.strictObject({
  signal: v.optional(abortSignal),
  timeout: v.optional(milliseconds, 24 * 60 * 60 * 1000),
  minDelay: v.optional(milliseconds, 1_000),
  maxDelay: v.optional(milliseconds, 30_000),
});

/** Kept beside the clients, which are the callers' own objects and may be frozen. */
const pollers = new WeakMap<object, Poller>();

/**
 * Follows an asset by a client that has `paths.asset`, and gives each record that differs from the one before.
 *
 * Ends after the phase `ready` or `failed`, or at its time limit. All that watch by one client ask at most twice a second
 * together. A service that is away, overloaded, or doesn't know its new asset yet is asked again. A record that is older
 * than the last one (`status.updatedAt`) is left out.
 *
 * @param client who asks
 * @param id the asset's identifier
 * @param options when it asks, and when it ends
 * @returns the changes; the first one is the record as it is found
 * @throws {InputError} `invalid-option` or `invalid-id`, before anything is sent.
 * @throws {ServiceError} when the service refuses: `unauthorized`, `forbidden`, `wrong-address`, and `asset-not-found`
 * where it doesn't know the asset after a minute, or no more.
 * @example Wait until a video can be watched
 * ```ts
 * import { createClient, watchAsset } from "@upcut/core";
 *
 * const paths = { asset: "/api/asset/{id}" };
 * const client = createClient({ baseUrl: "https://video.example", token: "<API_KEY>", paths });
 * async function untilReady(id: string): Promise<void> {
 *   for await (const { phase, progress, asset } of watchAsset(client, id)) {
 *     console.log(phase, progress, asset.playbackUrl);
 *     if (phase === "failed") throw new Error(asset.status?.errorMessage);
 *   }
 * }
 * console.log(typeof untilReady); // "function"
 * ```
 */
export async function* watchAsset(
  client: Required<Pick<Requester, "getAsset">>,
  id: string,
  options: {
    /** Ends the watching, which then rejects with the signal's reason. */
    signal?: AbortSignal | undefined;
    /** Milliseconds until the watching ends, whatever the asset's phase is. @default 86400000, a day */
    timeout?: number | undefined;
    /** Milliseconds before the first request; each wait is twice as long as the one before. @default 1000 */
    minDelay?: number | undefined;
    /** Milliseconds: no wait is longer, except one that the service asks for. @default 30000 */
    maxDelay?: number | undefined;
  } = {},
): AsyncGenerator<
  Pick<UploadLocation, "asset" | "mismatches"> & {
    /** The phase as the service names it; `ready` and `failed` are the last ones. */
    phase: string | undefined;
    /** From 0 to 1; `undefined` where the service names no such number, since the document leaves the scale open. */
    progress: number | undefined;
  },
  undefined
> {
  const { signal, timeout, minDelay, maxDelay } = readOptions("watch an asset", watchOptions, options);
  const poller = pollers.get(client) ?? createPoller(GAP);
  pollers.set(client, poller);
  const elapsed = startTimer();
  let bound = minDelay;
  let least = 0;
  let shown: string | undefined;
  let updatedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    const wait = Math.max(least, bound * (LEAST_SHARE + (1 - LEAST_SHARE) * Math.random()));
    if (elapsed() + wait > timeout) return undefined;
    await delay(wait, signal);
    await poller.turn(signal);
    bound = Math.min(maxDelay, 2 * bound);
    least = 0;
    let record: AssetRecord;
    try {
      record = await client.getAsset(id, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      if (!isUpcutError(error)) throw error;
      const isNew = shown === undefined && elapsed() < UNKNOWN_AT_FIRST;
      if (!error.retryable && !(error.code === "asset-not-found" && isNew)) throw error;
      least = error.retryAfter ?? 0;
      // The service counts the requests of the account, not those for an asset.
      if (error.code === "rate-limited") poller.pause(error.retryAfter ?? PAUSE);
      continue;
    }
    const { status } = record.asset;
    const time = finite(status?.updatedAt) ?? updatedAt;
    // A copy of the record that lags behind.
    if (time < updatedAt) continue;
    updatedAt = time;
    const text = canonical(record.asset);
    if (text !== shown) yield changeOf(record);
    shown = text;
    if (status?.phase === "ready" || status?.phase === "failed") return undefined;
  }
}

/** Reads phase and progress of a record, which may hold anything where it differs from the document. */
export function changeOf(record: AssetRecord): AssetChange {
  const phase: unknown = record.asset.status?.phase;
  const progress = finite(record.asset.status?.progress);
  return {
    ...record,
    phase: typeof phase === "string" ? phase : undefined,
    progress: progress !== undefined && progress >= 0 && progress <= 1 ? progress : undefined,
  };
}

function finite(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export interface Poller {
  /** Waits for a turn; rejects with the signal's reason where it is aborted before. */
  turn(signal: AbortSignal | undefined): Promise<void>;
  /** Gives no turn for so many milliseconds: the service asked for it. */
  pause(milliseconds: number): void;
}

/** @param gap milliseconds between two turns */
export function createPoller(gap: number): Poller {
  let free = 0;
  /** Resolves when the last one who came has had a turn, or has left. */
  let last: Promise<unknown> = Promise.resolve();
  return {
    turn(signal) {
      const take = async () => {
        await delayUntil(() => free, signal);
        free = steadyNow() + gap;
      };
      const turn = untilAborted(last, signal).then(take);
      last = Promise.allSettled([last, turn]).then(() => {});
      return turn;
    },
    pause(milliseconds) {
      free = Math.max(free, steadyNow() + milliseconds);
    },
  };
}
