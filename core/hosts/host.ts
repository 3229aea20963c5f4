/** The habits of hosts, and of what stands before them, that this process has met: the next request keeps to them. */
import { originOf } from "../redaction/redaction.ts";

export interface Host {
  /** True if it has answered: an address that never has may be mistyped. */
  hasAnswered?: boolean;
  /** How often in a row a stream failed before a byte of it was read; `undefined` until one was sent. */
  failedStreams?: number;
  /** Most bytes of a body, and until when by the steady clock. */
  limit?: { most: number; until: number };
  /** True if its store miscounts: it takes requests of the least part alone as one part each. */
  miscounts?: boolean;
}

const hosts = new Map<string, Host>();
/** More than any process speaks to; what is forgotten is found out again. */
const MOST_HOSTS = 10_000;

/** The host of an address, the same object for each upload to it. */
export function hostAt(address: string): Host {
  const origin = originOf(address);
  const known = hosts.get(origin) ?? {};
  if (hosts.size >= MOST_HOSTS) hosts.clear();
  hosts.set(origin, known);
  return known;
}
