/**
 * The leases to write entries, which uploads of this process keep for a moment: that of a small file stores its entry four
 * times within some milliseconds.
 */
import type { Lease } from "../journal/journal.ts";
import { isWritingKey, writingKey } from "../journal/terms.ts";
import { startStopwatch } from "../time/clock.ts";
import type { Room } from "./entry-file.ts";
import type { FolderLease } from "./lease.ts";

/** Milliseconds for which one is kept: others wait for it ten times as long. */
const LONGEST_KEPT = 500;

/** The holder of the lease to write the entries of a source. */
export interface Writer {
  readonly lease: FolderLease;
  readonly since: () => number;
  readonly timer: ReturnType<typeof setTimeout>;
  /** True from a claim until that is given back. */
  isWriting: boolean;
  /** The texts of entries that were read or written meanwhile, by their keys; empty where there is none. */
  readonly texts: Map<string, string>;
  /** True while the folder has the entries that it had when the lease was taken. */
  isUnchanged: boolean;
  room?: Room | undefined;
  /** Resolves once the lease is given back, which whoever ends the upload waits for. */
  ending?: Promise<void>;
}

/**
 * @param take takes the lease of a key
 * @param leave is called before the lease to write is given back
 */
export function openWriters(
  take: (key: string) => Promise<FolderLease | undefined>,
  leave: (writer: Writer) => Promise<void>,
) {
  const writers = new Map<string, Writer>();
  const slots = new Set<string>();
  /** True while an upload of the source runs, whose end gives back what was kept. */
  const isKept = (key: string) => [...slots].some((slot) => writingKeyOf(slot) === key);

  function end(key: string, writer: Writer): Promise<void> {
    writer.ending ??= giveBack(key, writer);
    return writer.ending;
  }

  async function giveBack(key: string, writer: Writer): Promise<void> {
    clearTimeout(writer.timer);
    try {
      await leave(writer).finally(writer.lease);
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
      // A write that lasts longer ends the lease itself.
      if (!writer.isWriting) void end(key, writer).catch(() => {});
    }, LONGEST_KEPT);
    const since = startStopwatch();
    const writer: Writer = { lease, since, timer, isWriting: true, texts: new Map(), isUnchanged: true };
    writers.set(key, writer);
    return leaseOf(key, writer);
  }

  function leaseOf(key: string, writer: Writer): Lease {
    const release = async () => {
      writer.isWriting = false;
      if (!isKept(key) || writer.since() >= LONGEST_KEPT) await end(key, writer);
    };
    return Object.assign(release, writer.lease);
  }

  async function open(slot: string): Promise<Lease | undefined> {
    // An upload mostly writes within a moment: both leases together take one look at the folder.
    const writing = slot.includes(".") ? write(writingKeyOf(slot)).catch(() => undefined) : undefined;
    try {
      const lease = await take(slot);
      if (lease === undefined) return undefined;
      slots.add(slot);
      const release = async () => {
        slots.delete(slot);
        const idle = [...writers].filter(([key, { isWriting }]) => !isWriting && !isKept(key));
        await Promise.all(idle.map(([key, writer]) => end(key, writer))).finally(lease);
      };
      return Object.assign(release, lease);
    } finally {
      // Where it can't be given back, it ends by itself.
      await (await writing)?.().catch(() => {});
    }
  }

  return {
    claim: (key: string) => (isWritingKey(key) ? write(key) : open(key)),
    /** The writer in this process that may write an entry now. */
    writerOf(key: string): Writer | undefined {
      const writer = writers.get(writingKey(key));
      if (writer === undefined || writer.ending !== undefined) return undefined;
      return writer.isWriting || writer.since() < LONGEST_KEPT ? writer : undefined;
    },
  };
}

/** The key under which the source of a slot is leased for writing. */
function writingKeyOf(slot: string): string {
  return writingKey(slot.replace(/\.[^.]*$/, ""));
}
