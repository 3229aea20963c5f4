/** Fetches a playlist, a key or a piece whole, and again where it broke off. */

import { UploadError } from "../errors/errors.ts";
import { processHosts } from "../hosts/host.ts";
import { leadsInside } from "../hosts/own-network.ts";
import { originOf } from "../redaction/redaction.ts";
import { kindOfBytes, otherKindError } from "../source/answer-kind.ts";
import { download } from "../source/download.ts";
import {
  dropBody,
  INSIDE,
  isPacked,
  lengthOf,
  requestUrl,
  type UrlFetch,
  unreadable,
} from "../source/url-request.ts";
import { delay, delayUntil, joinSignals, untilAborted } from "../time/abort.ts";
import { steadyNow } from "../time/clock.ts";
import type { ByteRange } from "./playlist.ts";

export interface Fetching extends UrlFetch {
  gate: Gate;
  signal: AbortSignal;
  /** Headers are the caller's for this origin alone. */
  origin: string;
  /** Attempts in a row after which it is given up. @default 10: some two minutes, unless a server names its own time */
  attempts?: number | undefined;
}

export interface Wanted {
  url: URL;
  range?: ByteRange | undefined;
  /** Bytes above which it is refused. */
  most: number;
  /** True if the caller looks itself at what came. @default false: a text is refused */
  anyKind?: boolean;
  /** Gives the memory for it. @default new memory */
  memory?: Memory;
  lack?: (bytes: Uint8Array) => string | undefined;
}

export interface Fetched {
  bytes: Uint8Array<ArrayBuffer>;
  /** The address behind all redirections. */
  url: URL;
}

const MOST_ATTEMPTS = 10;
/** Attempts for a server that has never answered in this process. */
const FIRST_CONTACT_TRIES = 3;
/** Milliseconds between two attempts, at most. */
const LONGEST_WAIT = 30_000;
/** Milliseconds: a server that asks for more time doesn't give the video now. */
const LONGEST_RETRY_AFTER = 10 * 60_000;
/** Milliseconds of one attempt: at a few bytes a minute a piece would never end. */
const LONGEST_ATTEMPT = 10 * 60_000;

export async function fetchBytes(wanted: Wanted, how: Fetching): Promise<Fetched> {
  const { gate, signal, attempts = MOST_ATTEMPTS, hosts = processHosts } = how;
  const { url, range } = wanted;
  if (range !== undefined && !isRange(range))
    throw unreadable(url, `was to give the bytes from ${range.start} up to ${range.end}, which is no range`);
  let lacking: number | undefined;
  for (let failures = 1; ; failures++) {
    try {
      const fetched = await gate.run(() => attempt(wanted, how), signal);
      const { length } = fetched.bytes;
      const lack = wanted.lack?.(fetched.bytes);
      // An answer that is as short a second time is all there is.
      if (lack === undefined || lacking === length) return fetched;
      lacking = length;
      throw unreadable(url, lack, true);
    } catch (error) {
      signal.throwIfAborted();
      const most = hosts.at(url.href).hasAnswered ? attempts : Math.min(attempts, FIRST_CONTACT_TRIES);
      if (!(error instanceof UploadError) || !error.retryable || failures >= most) throw error;
      const asked = error.retryAfter ?? 0;
      if (asked > LONGEST_RETRY_AFTER) throw error;
      // All pieces come from one place: a server that lets one wait wants no other.
      if (asked > 0) gate.close(asked);
      else await delay(Math.min(LONGEST_WAIT, 250 * 2 ** failures) * (0.5 + Math.random() / 2), signal);
    }
  }
}

/** Manifests and indexes may name ranges that end before they begin. */
function isRange({ start, end }: ByteRange): boolean {
  return Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end > start;
}

async function attempt(wanted: Wanted, how: Fetching): Promise<Fetched> {
  const late = () => unreadable(wanted.url, `takes over ${LONGEST_ATTEMPT / 60_000} minutes`, true);
  const limit = { milliseconds: LONGEST_ATTEMPT, late };
  return await withSignal(how.signal, (signal) =>
    untilAborted(read(wanted, { ...how, signal }), signal, limit),
  );
}

/** Does work with a signal of its own, by which requests that are still under way end when it is over or fails. */
export async function withSignal<T>(
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, abort, leave } = joinSignals(outer);
  signal.throwIfAborted();
  try {
    return await work(signal);
  } finally {
    abort(new Error("over"));
    leave();
  }
}

async function read(wanted: Wanted, how: Fetching): Promise<Fetched> {
  const { url, range, most, anyKind = false } = wanted;
  // Bytes tell what it is: many servers name playlists and pieces texts or pictures.
  const own = {
    ...how,
    anyType: true,
    leadsInside,
    headers: url.origin === how.origin ? how.headers : undefined,
  };
  const asked = range && { range: `bytes=${range.start}-${range.end - 1}` };
  const response = await requestUrl(url, own, asked);
  const final = URL.canParse(response.url) ? new URL(response.url) : url;
  const expected = range ? range.end - range.start : lengthOf(response.headers);
  // A page may not see it of another origin.
  const told = response.headers.get("content-range");
  const isRange =
    told === null || (range !== undefined && told.startsWith(`bytes ${range.start}-${range.end - 1}/`));
  const refuse = (what: string) => {
    dropBody(response);
    return unreadable(url, what);
  };
  if (leadsInside(url, final)) throw refuse(INSIDE);
  if (response.status === 416 || (range !== undefined && (response.status !== 206 || !isRange)))
    throw refuse("doesn't give the range of bytes that its playlist names");
  if (range !== undefined && isPacked(response.headers)) throw refuse("gives ranges of packed bytes");
  if ((expected ?? 0) > most) throw refuse(`names over ${most} bytes where fewer were expected`);
  const { body } = response;
  const bytes = body === null ? new Uint8Array(0) : await collect(body, own, wanted, expected);
  if (expected !== undefined && bytes.length !== expected)
    throw unreadable(url, `broke off after ${bytes.length} of ${expected} bytes`, true);
  const other = anyKind ? undefined : kindOfBytes(bytes);
  if (other !== undefined) throw otherKindError(other, originOf(url));
  return { bytes, url: final };
}

const FIRST_SIZE = 64 * 1024;

/** Reads a body into one memory, which grows where its length isn't told. */
async function collect(
  body: ReadableStream<Uint8Array>,
  how: Fetching,
  { most, url, memory = new Memory(0) }: Wanted,
  expected = FIRST_SIZE,
): Promise<Uint8Array<ArrayBuffer>> {
  let buffer = memory.take(expected);
  let size = 0;
  try {
    for await (const piece of download(how, async () => body, true)) {
      if (size + piece.length > most)
        throw unreadable(url, `gives over ${most} bytes where fewer were expected`);
      if (size + piece.length > buffer.length) {
        const grown = memory.take(Math.min(most, Math.max(2 * buffer.length, size + piece.length)));
        grown.set(buffer.subarray(0, size));
        memory.give(buffer);
        buffer = grown;
      }
      buffer.set(piece, size);
      size += piece.length;
    }
  } catch (error) {
    memory.give(buffer);
    if (error instanceof UploadError) throw error;
    how.signal.throwIfAborted();
    throw unreadable(url, "broke off a download", true);
  }
  return buffer.subarray(0, size);
}

/** Requests at a time: what a player makes, so that no server takes this for an attack. */
const MOST_AT_ONCE = 3;

export class Gate {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #closedUntil = 0;

  close(milliseconds: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, steadyNow() + milliseconds);
  }

  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    while (this.#running >= MOST_AT_ONCE)
      await untilAborted(new Promise<void>((wake) => this.#waiting.push(wake)), signal);
    this.#running++;
    try {
      await delayUntil(() => this.#closedUntil, signal);
      return await work();
    } finally {
      this.#running--;
      // All waiting requests are woken, since some may wait no more; the first takes the place.
      for (const wake of this.#waiting.splice(0)) wake();
    }
  }
}

const MiB = 1024 ** 2;

/** Memory that is used again: that of each piece would live long enough to be costly garbage in every runtime. */
export class Memory {
  readonly #most: number;
  readonly #free: ArrayBuffer[] = [];

  /** @param most runs of memory that are kept for later */
  constructor(most: number) {
    this.#most = most;
  }

  take(size: number): Uint8Array<ArrayBuffer> {
    const at = this.#free.findIndex(({ byteLength }) => byteLength >= size);
    const [found] = at < 0 ? [] : this.#free.splice(at, 1);
    // A little more than is needed: the next piece is mostly about as large.
    const buffer = found ?? new ArrayBuffer(Math.ceil((1.25 * size) / MiB) * MiB);
    return new Uint8Array(buffer, 0, size);
  }

  /** Takes memory back that nothing uses any more. The largest ones are kept. */
  give({ buffer }: Uint8Array<ArrayBuffer>): void {
    this.#free.push(buffer);
    this.#free.sort((a, b) => a.byteLength - b.byteLength);
    if (this.#free.length > this.#most) this.#free.shift();
  }
}

/** Results of work that is done once for a key: again where it failed, or where whoever began it wants it no more. */
export class Kept<T> {
  readonly #results = new Map<unknown, { result: Promise<T>; signal: AbortSignal }>();
  readonly #most: number;

  /** @param most results that are kept. @default all */
  constructor(most: number = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  get(key: unknown, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const known = this.#results.get(key);
    if (known !== undefined)
      return known.result.catch((error: unknown) => {
        if (!known.signal.aborted || signal.aborted) throw error;
        return this.get(key, signal, work);
      });
    const result = work();
    this.#results.set(key, { result, signal });
    result.catch(() => this.#results.delete(key));
    const [oldest = key] = this.#results.keys();
    if (this.#results.size > this.#most) this.#results.delete(oldest);
    return result;
  }
}
