/** The habits of upload hosts, and of what stands before them, that this process has met: the next upload keeps to them. */
import { wholeParts } from "../source/parts.ts";
import { steadyNow } from "../time/clock.ts";

interface HostHabits {
  /** How often in a row a stream failed before a byte of it was read; `undefined` until one was sent. */
  failedStreams?: number;
  /** Most bytes of a body, and until when by the steady clock. */
  limit?: { most: number; until: number };
  /** True if its store miscounts: it takes requests of the least part alone as one part each. */
  miscounts?: boolean;
}

const habits = new Map<string, HostHabits>();
/** More than any process speaks to; what is forgotten is found out again. */
const MOST_ORIGINS = 10_000;
/** Milliseconds after which more is tried again: chance may look like a limit, and limits are raised. */
const REMEMBERED = 600_000;

export function habitsOf(url: string): HostHabits {
  const { origin } = new URL(url);
  const known = habits.get(origin) ?? {};
  if (habits.size >= MOST_ORIGINS) habits.clear();
  habits.set(origin, known);
  return known;
}

export function hasMiscounted(url: string | undefined): boolean {
  return url !== undefined && url !== "" && habitsOf(url).miscounts === true;
}

/** Most bytes of a body that a host takes, as far as is known. */
export function bodyLimitOf(url: string): number {
  const { limit } = habitsOf(url);
  return limit !== undefined && steadyNow() < limit.until ? limit.most : Number.POSITIVE_INFINITY;
}

/** Halves the bodies for a host that hasn't taken one, or goes down to `most`; false where none can be shorter. */
export function limitBodies(url: string, size: number, partSize: number, most: number): boolean {
  if (size <= partSize) return false;
  const less = Math.max(partSize, wholeParts(Math.min(size / 2, most, bodyLimitOf(url)), partSize));
  habitsOf(url).limit = { most: less, until: steadyNow() + REMEMBERED };
  return true;
}
