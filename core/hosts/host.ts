/** The habits of hosts, and of what stands before them, as they were met: the next request keeps to them. */
import { originOf } from "../redaction/redaction.ts";
import { steadyNow } from "../time/clock.ts";

/** After so many failures, no stream is sent there any more. Between two of them the host has answered a HEAD. */
const MOST_FAILED_STREAMS = 2;
/** Milliseconds after which more is tried again: chance may look like a limit, and limits are raised. */
const LIMIT_KEPT = 600_000;

export class Host {
  /** True if it has answered: an address that never has may be mistyped. */
  hasAnswered = false;
  /** True if its store miscounts: it takes requests of the least part alone as one part each. */
  miscounts = false;
  /** How often in a row a stream failed before a byte of it was read; `undefined` until one was sent. */
  failedStreams: number | undefined;
  #limit = { most: Number.POSITIVE_INFINITY, until: 0 };

  /** False for a host that has refused bodies whose length it isn't told. */
  get takesStreams(): boolean {
    return (this.failedStreams ?? 0) < MOST_FAILED_STREAMS;
  }

  refuseStreams(): void {
    this.failedStreams = MOST_FAILED_STREAMS;
  }

  /** Most bytes of a body that it takes, as far as is known. */
  get bodyLimit(): number {
    return steadyNow() < this.#limit.until ? this.#limit.most : Number.POSITIVE_INFINITY;
  }

  limitBodies(most: number): void {
    this.#limit = { most, until: steadyNow() + LIMIT_KEPT };
  }
}

/** More than any process speaks to; what is forgotten is found out again. */
const MOST_HOSTS = 10_000;

export class Hosts {
  readonly #hosts = new Map<string, Host>();

  /** The host of an address, the same object for each request to it. */
  at(address: string): Host {
    const origin = originOf(address);
    const known = this.#hosts.get(origin);
    if (known !== undefined) return known;
    if (this.#hosts.size >= MOST_HOSTS) this.#hosts.clear();
    const met = new Host();
    this.#hosts.set(origin, met);
    return met;
  }
}

/** Marks the error of a call to an account that has never answered. One from another context has no mark. */
export const NEVER_ANSWERED: unique symbol = Symbol("never answered");

/** The hosts that this process has met. Whoever sends is given these unless it is handed others. */
export const processHosts: Hosts = new Hosts();
