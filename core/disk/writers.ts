/**
 * The leases to write entries, which uploads of this process keep for a moment: that of a small file stores its entry four
 * times within some milliseconds.
 */
import type { Lease } from "../journal/journal.ts";
import { isWritingKey, sourceOfWriting, writingKey } from "../journal/terms.ts";
import { startStopwatch } from "../time/clock.ts";
import { closeRoom, type Room } from "./entry-file.ts";

/** Milliseconds for which one is kept: others wait for it ten times as long. */
const LONGEST_KEPT = 500;

/** Whoever has the lease to write an entry. */
export interface Writer {
  readonly lease: Lease;
  readonly since: () => number;
  readonly timer: ReturnType<typeof setTimeout>;
  /** True from a claim until that is given back. */
  isWriting: boolean;
  /** What was written last; empty where it was deleted, `undefined` where that isn't known. */
  text?: string | undefined;
  room?: Room | undefined;
  /** Resolves once the lease is given back, which whoever ends the upload waits for. */
  ending?: Promise<void>;
}

/** @param take takes the lease of a key */
export function openWriters(take: (key: string) => Promise<Lease | undefined>) {
  const writers = new Map<string, Writer>();
  const slots = new Set<string>();
  /** True while an upload of the source runs, whose end gives back what was kept. */
  const isKept = (key: string) => [...slots].some((slot) => slot.startsWith(`${sourceOfWriting(key)}.`));

  function end(key: string, writer: Writer): Promise<void> {
    writer.ending ??= giveBack(key, writer);
    return writer.ending;
  }

  async function giveBack(key: string, writer: Writer): Promise<void> {
    clearTimeout(writer.timer);
    try {
      await closeRoom(writer.room);
      await writer.lease();
    } finally {
      if (writers.get(key) === writer) writers.delete(key);
    }
  }

  async function write(key: string): Promise<Lease | undefined> {
    const kept = writers.get(key);
    if (kept?.isWriting) return undefined;
    if (kept !== undefined && kept.ending === undefined && kept.since() < LONGEST_KEPT) {
      kept.isWriting = true;
      if (await kept.lease.isHeld?.()) return leaseOf(key, kept);
    }
    if (kept !== undefined) await end(key, kept);
    const lease = await take(key);
    if (lease === undefined) return undefined;
    const timer = setTimeout(() => {
      // Whoever writes ends it then.
      if (!writer.isWriting) void end(key, writer).catch(() => {});
    }, LONGEST_KEPT);
    const writer: Writer = { lease, since: startStopwatch(), timer, isWriting: true };
    writers.set(key, writer);
    return leaseOf(key, writer);
  }

  function leaseOf(key: string, writer: Writer): Lease {
    const release = async () => {
      writer.isWriting = false;
      if (!isKept(key) || writer.since() >= LONGEST_KEPT) await end(key, writer);
    };
    return Object.assign(release, { isHeld: async () => (await writer.lease.isHeld?.()) !== false });
  }

  async function open(slot: string): Promise<Lease | undefined> {
    const lease = await take(slot);
    if (lease === undefined) return undefined;
    slots.add(slot);
    const release = async () => {
      slots.delete(slot);
      const idle = [...writers].filter(([key, { isWriting }]) => !isWriting && !isKept(key));
      await Promise.all(idle.map(([key, writer]) => end(key, writer))).finally(lease);
    };
    return Object.assign(release, { isHeld: async () => (await lease.isHeld?.()) !== false });
  }

  return {
    claim: (key: string) => (isWritingKey(key) ? write(key) : open(key)),
    /** Whoever in this process may write an entry now. */
    writerOf(key: string): Writer | undefined {
      const writer = writers.get(writingKey(key));
      if (writer === undefined || writer.ending !== undefined) return undefined;
      return writer.isWriting || writer.since() < LONGEST_KEPT ? writer : undefined;
    },
  };
}
