/**
 * From a slot in the journal to a stored asset: asks for a location unless there is one, sends what the service doesn't
 * have, and goes on after interruptions. Only here is decided how long it waits between two attempts, why, and when it
 * gives up. (A source opens broken downloads again by itself, `source/download.ts`, and within an attempt an offset is
 * asked for until it settles, `settling.ts`.)
 */

import { isUpcutError, type UpcutError, UploadError } from "../errors/errors.ts";
import { type Hosts, processHosts } from "../hosts/host.ts";
import { runtimeFetch } from "../http/fetch.ts";
import type { UploadRecord } from "../journal/journal.ts";
import { type JournalSlot, noteAcknowledged, withAcknowledged } from "../journal/slot.ts";
import type { ProgressMeter } from "../progress/progress.ts";
import { hasXhr, isWaitingForNetwork } from "../runtime.ts";
import type { Requester } from "../service/requester.ts";
import { PART_SIZE } from "../source/parts.ts";
import type { ReadableSource } from "../source/source.ts";
import { LONGEST_TIMER, untilAborted } from "../time/abort.ts";
import { dateNow, startTimer, steadyNow } from "../time/clock.ts";
import { transferDirect } from "./direct.ts";
import { fetchTransport } from "./fetch.ts";
import { Interruption } from "./interruption.ts";
import { requestLocation, type UploadRun } from "./location.ts";
import { pageTransport } from "./page.ts";
import { openShowOrigin, type RetryAnswer, type RetryLimits, type RetrySettings } from "./request.ts";
import { transferResumable } from "./resumable.ts";
import { Settling, type Transfer } from "./settling.ts";
import type { SelfSendingSource, Transport } from "./transport.ts";

export async function transferUntilDone(run: UploadRun): Promise<UploadRecord> {
  const { requester, source, slot, settings, hosts } = run;
  const transport = chooseTransport(source, requester, hosts);
  // A transport that holds each part before it leaves has the next one read meanwhile.
  const ahead = settings.method === "direct" || transport.streams ? undefined : source.readAhead?.();
  const attempt = makeAttempt({ ...run, source: { ...source, ...ahead } }, transport);
  try {
    await retryUntilDone(attempt, {
      ...{ ...settings, ...run },
      purpose: "upload",
      // An earlier call that began the upload knew its host.
      isNew: slot.record === undefined,
      hintWhenAlwaysBroken: () =>
        slot.record?.method === "direct"
          ? 'The connection breaks before the whole file is sent: use method "resumable"'
          : "The connection breaks before 8 MiB are sent, the least that services of parts keep: use a steadier one, or a proxy that takes bodies of 8 MiB",
    });
  } finally {
    await ahead?.close();
  }
  return recordOf(slot);
}

/** Chooses how to send: an injected fetch, the source's own way, a page's where there is XHR, else the runtime's fetch. */
export function chooseTransport(
  source: ReadableSource | SelfSendingSource | undefined,
  { fetch, xhrFor }: Pick<Requester, "fetch" | "xhrFor">,
  hosts: Hosts = processHosts,
): Transport {
  if (fetch !== undefined) return fetchTransport(fetch);
  if (source !== undefined && "transport" in source) return source.transport;
  if (hasXhr()) return pageTransport(source, xhrFor, hosts);
  return fetchTransport(runtimeFetch);
}

/** One attempt: asks for a location unless there is one, then sends what the service doesn't have. */
function makeAttempt(run: UploadRun, transport: Transport): () => Promise<void> {
  const { source, settings, slot, meter, signal } = run;
  const showOrigin = openShowOrigin();
  let locationUsed = slot.record !== undefined;
  let settling: Settling | undefined;
  return async () => {
    if (slot.record === undefined) locationUsed = await requestLocation(run);
    settling ??= new Settling(settings.timeout.settle, locationUsed);
    const { asset, method } = recordOf(slot);
    meter.asset = asset;
    let notedAt = Number.NEGATIVE_INFINITY;
    const transfer: Transfer = {
      ...{ ...run, transport, settling, locationUsed, showOrigin },
      record: () => recordOf(slot),
      note: (facts) => slot.save(withAcknowledged({ ...recordOf(slot), ...facts }, meter)),
      async confirm() {
        // Before a request, so that no two writes of it meet.
        if (steadyNow() - notedAt >= NOTE_INTERVAL && (await noteAcknowledged(slot, meter)))
          notedAt = steadyNow();
        await slot.confirm();
      },
      confirmAfterPause: slot.confirmAfterPause,
      async waitForStore(milliseconds, left = milliseconds) {
        meter.enter("waiting", { reason: "settling", until: dateNow() + left, attempt: 1 });
        await pause(milliseconds, signal);
      },
    };
    locationUsed = true;
    const { size } = source;
    // A source without a size is never given a direct location.
    const isDirect = method === "direct" && size !== undefined;
    await (isDirect ? transferDirect(transfer, size) : transferResumable(transfer)).catch(waitOffline);
  };
}

/** A source that can't be reached while there is no network is waited for like the service. */
function waitOffline(error: unknown): never {
  const unreachable = isUpcutError(error) && error.code === "source-unreadable" && error.retryable;
  if (unreachable && isWaitingForNetwork()) throw new Interruption("connection", error.message, { error });
  throw error;
}

function recordOf(slot: JournalSlot): UploadRecord {
  if (slot.record === undefined)
    throw new UploadError("location-refused", "Cannot upload: there is no location");
  return slot.record;
}

/** Milliseconds after which the journal is told how far an upload is, for whoever lists what was paused or killed. */
const NOTE_INTERVAL = 5_000;

export interface RetryLoop {
  /** Completes "Cannot …". */
  purpose: "upload" | "discard an upload";
  retry: RetrySettings;
  signal: AbortSignal;
  /** True if a host that has never answered is given up after a few tries: nothing proves its address. @default false */
  isNew?: boolean;
  /** Is told of each wait. */
  meter: Pick<ProgressMeter, "acknowledged" | "sent" | "enter">;
  /** Completes the error when every attempt broke in the middle of its bytes and none of them counted. */
  hintWhenAlwaysBroken?(): string;
}

/**
 * Runs `attempt` until it resolves.
 *
 * @throws {UploadError} `interrupted` when the budget is used up, and whatever else `attempt` rejects with.
 */
export async function retryUntilDone(attempt: () => Promise<void>, how: RetryLoop): Promise<void> {
  const { meter, signal } = how;
  const waitAfter = openBudget(how);
  for (;;) {
    const before = meter.sent;
    const elapsed = startTimer();
    try {
      return await attempt();
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof Interruption)) throw thrown;
      if (thrown.isOfBody) continue;
      const { reason, httpStatus } = thrown;
      const status = httpStatus !== undefined && { httpStatus };
      // A refusal that the caller has tried again is shown by its status.
      const why = { reason: reason === "refused" ? "http-status" : reason, ...status } as const;
      const { wait, attempt } = await waitAfter(thrown, meter.sent > before, elapsed);
      if (wait === undefined) meter.enter("waiting", { reason: "offline", until: undefined, attempt });
      else meter.enter("waiting", { ...why, until: dateNow() + wait, attempt });
      await pause(wait, signal);
    }
  }
}

/** With the waits between them, three tries take about 5 s. */
const MOST_TRIES = 3;
/** Milliseconds of a try, sleep of the machine left out, after which no other follows. */
const LONGEST_TRY = 5_000;

/**
 * Counts the attempts of a loop.
 *
 * @returns gives the milliseconds until the next attempt, `undefined` for as long as there is no network, and its number
 */
function openBudget(how: RetryLoop) {
  const { retry, purpose, meter } = how;
  let failedAttempts = 0;
  /** Tries in a row without any answer so far. */
  let tries = 0;
  let furthest = meter.acknowledged;
  let brokenConnections = 0;
  /** The end of the wait that was counted last: until then, asking for what is away is not counted. */
  let countedUntil = 0;
  const reset = () => {
    failedAttempts = brokenConnections = countedUntil = 0;
  };
  return async (error: Interruption, sentSome: boolean, elapsed: () => number) => {
    const { reason, retryAfter, httpStatus, neverAnswered } = error;
    // Waiting for the network is no try.
    if (how.isNew && neverAnswered !== undefined && !isWaitingForNetwork()) {
      if (++tries >= Math.min(MOST_TRIES, retry.attempts + 1) || elapsed() > LONGEST_TRY) {
        const hint = "check the network, or ask whoever runs the service";
        const state = `${counted(tries)}. The service named ${neverAnswered}: ${hint}`;
        throw givenUp(purpose, error, `after ${state}`);
      }
      const longest = Math.min(retry.outageDelay, retry.maxDelay);
      const answer = await askWhetherToRetry(error, tries, how);
      return { wait: wantedWait(answer) ?? longest * (0.5 + Math.random() / 2), attempt: tries };
    }
    tries = 0;
    const answer = await askWhetherToRetry(error, failedAttempts + 1, how);
    const now = steadyNow();
    // Only bytes beyond the furthest count: a service that forgets takes the same ones again. At a byte in each attempt, an
    // upload would never end.
    if (meter.acknowledged - furthest >= PART_SIZE) {
      furthest = meter.acknowledged;
      reset();
    }
    // A host that can't be reached, or one whose store is away: nobody knows for how long.
    const isAway = reason === "not-found" || (reason === "connection" && !sentSome);
    // The caller's own wait says nothing of an outage: each try of such a one counts.
    const counts = !isAway || wantedWait(answer) !== undefined || now >= countedUntil;
    if (counts) failedAttempts++;
    if (sentSome && (reason === "connection" || reason === "stalled")) brokenConnections++;
    if (failedAttempts > retry.attempts) {
      const hint = brokenConnections === failedAttempts ? how.hintWhenAlwaysBroken?.() : undefined;
      const end = hint === undefined ? "" : `. ${hint}`;
      throw givenUp(purpose, error, `after ${counted(failedAttempts)} without progress${end}`);
    }
    const attempt = failedAttempts;
    if (isWaitingForNetwork()) {
      // Waiting for the network is no attempt.
      reset();
      return { wait: undefined, attempt };
    }
    if (isAway && counts) countedUntil = now + boundBefore(attempt, retry);
    // An answer that interrupts says nothing about how long a connection holds.
    const held = httpStatus === undefined ? elapsed() : Number.POSITIVE_INFINITY;
    const limits = answer === true ? { ...retry, maxRetryAfter: LONGEST_TIMER } : retry;
    const usual = isAway
      ? delayInOutage(attempt, retry, countedUntil - now, Math.random())
      : delayBefore(attempt, limits, retryAfter, Math.random(), held);
    const wait = wantedWait(answer) ?? usual;
    if (wait === undefined) {
      const asked = Math.ceil((retryAfter ?? 0) / 1000);
      throw givenUp(purpose, error, `since the service asks to wait ${asked} s`);
    }
    return { wait, attempt };
  };
}

/** @throws what the loop ends with where the caller wants no other attempt, or where nobody does after a refusal */
async function askWhetherToRetry(
  error: Interruption,
  attempt: number,
  { retry: { shouldRetry }, purpose, signal }: RetryLoop,
): Promise<RetryAnswer> {
  const { reason, httpStatus, retryAfter } = error;
  const isUsual = reason !== "refused";
  const asked = async () => await shouldRetry?.({ reason, httpStatus, retryAfter, attempt });
  const answer = shouldRetry && (await untilAborted(asked(), signal));
  if (typeof answer !== "number" && !(answer ?? isUsual))
    throw isUsual ? givenUp(purpose, error, "as shouldRetry says") : error.error;
  return answer;
}

/** The milliseconds that the caller wants to wait, if it names any. */
function wantedWait(answer: RetryAnswer): number | undefined {
  return typeof answer === "number" && answer >= 0 ? Math.min(answer, LONGEST_TIMER) : undefined;
}

function counted(attempts: number): string {
  return `${attempts} ${attempts === 1 ? "attempt" : "attempts"}`;
}

function givenUp(purpose: string, interruption: Interruption, when: string): UpcutError {
  if (interruption.error !== undefined) return interruption.error;
  return new UploadError("interrupted", `Cannot ${purpose}: ${interruption.message}; stopped ${when}`, {
    httpStatus: interruption.httpStatus,
    retryAfter: interruption.retryAfter,
    cause: interruption.cause,
  });
}

/** The first wait after a line that broke may add this share of the time it had held. */
const HELD_SHARE = 0.1;

/** Milliseconds that a wait before an attempt may last: doubles until the longest one. */
export function boundBefore(attempt: number, { minDelay, maxDelay }: RetryLimits): number {
  return Math.min(maxDelay, minDelay * 2 ** Math.min(attempt - 1, 40));
}

/**
 * Milliseconds to wait before an attempt; `undefined` when the service asks for a longer wait than allowed.
 *
 * @param held milliseconds after which the line broke; Infinity where it was the service that interrupted
 */
export function delayBefore(
  attempt: number,
  options: RetryLimits,
  retryAfter: number | undefined,
  random: number,
  held: number = Number.POSITIVE_INFINITY,
): number | undefined {
  const bound = boundBefore(attempt, options);
  const wait = random * (attempt === 1 ? Math.min(bound, HELD_SHARE * held) : bound);
  if (retryAfter === undefined) return wait;
  return retryAfter > options.maxRetryAfter ? undefined : Math.max(retryAfter, wait);
}

/** @param rest milliseconds of the counted wait that are left */
export function delayInOutage(attempt: number, options: RetryLimits, rest: number, random: number): number {
  return Math.max(0, Math.min(rest, random * Math.min(options.outageDelay, boundBefore(attempt, options))));
}

/** Waits for so long, or for good; a network that comes back ends the wait. */
export async function pause(milliseconds: number | undefined, signal: AbortSignal): Promise<void> {
  let end = () => {};
  const online = new Promise<void>((resolve) => {
    end = resolve;
  });
  globalThis.addEventListener?.("online", end);
  const limit = milliseconds === undefined ? undefined : { milliseconds, late: () => undefined };
  await untilAborted(online, signal, limit)
    .catch(() => signal.throwIfAborted())
    .finally(() => globalThis.removeEventListener?.("online", end));
}
