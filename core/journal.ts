/**
 * What must be remembered to continue the same asset later.
 *
 * A journal has one entry per source. An entry holds the unfinished uploads of that source, each under a hash of
 * the base address, the account and the request, so that another account or another request never continues it.
 * It stores locations and upload URLs, which are secrets: keep it where only the person can read it.
 *
 * @module
 */

import * as v from "valibot";
import type { Asset, Mismatch, Task } from "./asset.ts";
import { UploadError } from "./errors.ts";

/** One unfinished upload: enough to continue the same asset, from another process too. */
export interface UploadRecord {
  /** How it is sent. */
  method: "resumable" | "direct";
  /** The asset as it was created. */
  asset: Asset;
  /** The task created for the asset, if the service named one. */
  task?: Task;
  /** Where the creation answer differs from the interface document. */
  mismatches: Mismatch[];
  /** The one-time location, until there is an upload URL (resumable) or the upload is whole (direct). A secret. */
  location?: string;
  /** The address of the tus upload. A secret. */
  uploadUrl?: string;
  /** Resumable only: whether the last request has been sent, without which the service can't have the whole. */
  lastSent?: boolean;
  /** Where a file that went directly can be sent resumably, should that be asked for. A secret. */
  resumableLocation?: string;
  /** Short digests of the parts that were read, where the source can only be read from its start. */
  parts?: string[];
  /** Direct only: one try had handed over the whole body, so that "already uploaded" means success. */
  handedOver?: boolean;
}

/** What a journal keeps for one source. */
export interface JournalEntry {
  /** Version of this shape. */
  version: 1;
  /** Unfinished uploads of the source, by a digest of account, method and request. */
  uploads: Record<string, UploadRecord>;
  /**
   * Which of them have asked for a location without an answer so far. One that is still here when no call is under way
   * belongs to a process that ended meanwhile: an asset may have been created.
   */
  requested?: string[];
}

/** Gives back what was claimed or reserved. */
export type Release = () => Promise<void>;

/**
 * Four methods are a journal: the adapter for a place of your own, for example a database. A fifth lets a place that
 * may be full say so before anything is asked of the service.
 *
 * A journal that can't be read, claimed or reserved ends a call before an asset is made. One that fails later stops
 * no upload, since going on is the surest way to save it; `continues` of progress and of errors says what it holds.
 *
 * Keys are hex digests with a short suffix; entries are plain JSON. `get` may return what `set` stored in another
 * process or runtime.
 *
 * @example
 * ```ts
 * import { type Journal, memoryJournal } from "@upcut/core";
 *
 * const quiet: Journal = { ...memoryJournal(), set: async () => {} }; // remembers nothing
 * console.log(await quiet.get("a-key")); // undefined
 * ```
 */
export interface Journal {
  /** The entry of a source, or `undefined`. */
  get(key: string): Promise<JournalEntry | undefined>;
  /** Stores an entry whole, or fails and leaves the former one. */
  set(key: string, entry: JournalEntry): Promise<void>;
  /** Forgets an entry; an unknown key is no error. */
  delete(key: string): Promise<void>;
  /** Takes a key for this process alone until released, or returns `undefined` while somebody else has it. */
  claim(key: string): Promise<Release | undefined>;
  /** Makes room for an entry that `set` will store, until released, or fails. @default taken to have room */
  reserve?(key: string): Promise<Release>;
}

const recordSchema = v.looseObject({
  method: v.picklist(["resumable", "direct"]),
  asset: v.looseObject({ id: v.string() }),
  mismatches: v.array(v.looseObject({ path: v.string(), expected: v.string(), found: v.string() })),
  location: v.optional(v.string()),
  uploadUrl: v.optional(v.string()),
  lastSent: v.optional(v.boolean()),
  resumableLocation: v.optional(v.string()),
  parts: v.optional(v.array(v.string())),
  handedOver: v.optional(v.boolean()),
});
const entrySchema = v.object({
  version: v.literal(1),
  uploads: v.record(v.string(), recordSchema),
  requested: v.optional(v.array(v.string())),
});

/**
 * A journal that lasts as long as the process: the default of every client.
 *
 * @example
 * ```ts
 * import { memoryJournal } from "@upcut/core";
 *
 * const journal = memoryJournal();
 * console.log(await journal.get("a-key")); // undefined
 * ```
 */
export function memoryJournal(): Journal {
  const entries = new Map<string, JournalEntry>();
  const claims = new Set<string>();
  return {
    get: async (key) => structuredClone(entries.get(key)),
    set: async (key, entry) => void entries.set(key, structuredClone(entry)),
    delete: async (key) => void entries.delete(key),
    claim: async (key) => {
      if (claims.has(key)) return undefined;
      claims.add(key);
      return async () => void claims.delete(key);
    },
  };
}

/** One upload's place in a journal, claimed until released. */
export interface JournalPlace {
  /** What is remembered, if anything is. */
  record: UploadRecord | undefined;
  /** Whether the journal holds a record of this upload, be it an earlier one. */
  stored: boolean;
  /** Whether the journal holds a note that an earlier call asked for a location and ended without an answer. */
  hasRequestNote: boolean;
  /** Makes sure that a first record will be stored, while it can still be left. */
  reserve(): Promise<void>;
  /** Notes that a location is asked for, so that a process that ends meanwhile leaves a trace. */
  noteRequest(): Promise<void>;
  /** Takes that note back: the outcome is known, or was told. */
  clearRequestNote(): Promise<void>;
  /** Remembers a record; a journal that can't store it stops no upload. */
  save(record: UploadRecord): Promise<void>;
  forget(): Promise<void>;
  release: Release;
}

/**
 * Claims the place of one upload and reads what is remembered there.
 *
 * @param key the source's identity
 * @param context hash of base address, account and request
 * @returns `undefined` while another upload has the place
 */
export async function openPlace(
  journal: Journal,
  key: string,
  context: string,
): Promise<JournalPlace | undefined> {
  const release = await guarded("claim a place in", () => journal.claim(`${key}.${context.slice(0, 16)}`));
  if (release === undefined) return undefined;
  let room: Release | undefined;
  /** Whatever is stored first takes the room. */
  let isRoomTaken = false;
  try {
    const entry = await readEntry(journal, key);
    // A note that can't be written keeps nobody from uploading: what makes room says whether the journal works.
    const setRequestNote = async (wanted: boolean) => {
      try {
        await update(journal, key, (current) => withRequest(current, context, wanted));
        place.hasRequestNote = wanted;
        isRoomTaken = true;
      } catch {}
    };
    const place: JournalPlace = {
      record: entry.uploads[context],
      stored: entry.uploads[context] !== undefined,
      hasRequestNote: entry.requested?.includes(context) === true,
      noteRequest: () => setRequestNote(true),
      async clearRequestNote() {
        if (place.hasRequestNote) await setRequestNote(false);
      },
      async reserve() {
        if (room !== undefined && !isRoomTaken) return;
        await guarded("give back room in", async () => room?.());
        room = await guarded("make room in", async () => journal.reserve?.(key));
        isRoomTaken = false;
      },
      async save(record) {
        place.record = record;
        try {
          await update(journal, key, (current) => {
            const { uploads, ...rest } = withRequest(current, context, false);
            return { ...rest, uploads: { ...uploads, [context]: record } };
          });
          Object.assign(place, { stored: true, hasRequestNote: false });
        } catch {
          // The asset exists, and this process knows enough to bring it home; `stored` tells.
        }
      },
      async forget() {
        place.record = undefined;
        if (!place.stored && !place.hasRequestNote) return;
        await update(journal, key, (current) => {
          const { uploads, ...rest } = withRequest(current, context, false);
          const { [context]: _, ...others } = uploads;
          return { ...rest, uploads: others };
        });
        Object.assign(place, { stored: false, hasRequestNote: false });
      },
      async release() {
        try {
          await guarded("give back room in", async () => room?.());
        } finally {
          await guarded("give back a place in", release);
        }
      },
    };
    return place;
  } catch (error) {
    await release();
    throw error;
  }
}

/** The contexts of the unfinished uploads of a source, those without an answer so far included. */
export async function contextsOf(journal: Journal, key: string): Promise<string[]> {
  const { uploads, requested = [] } = await readEntry(journal, key);
  return [...new Set([...Object.keys(uploads), ...requested])];
}

function withRequest(entry: JournalEntry, context: string, requested: boolean): JournalEntry {
  const { requested: all = [], ...rest } = entry;
  const others = all.filter((each) => each !== context);
  if (requested) others.push(context);
  return others.length === 0 ? rest : { ...rest, requested: others };
}

async function readEntry(journal: Journal, key: string): Promise<JournalEntry> {
  const stored: unknown = await guarded("read", () => journal.get(key));
  if (stored === undefined) return { version: 1, uploads: {} };
  const result = v.safeParse(entrySchema, stored);
  if (!result.success) {
    throw new UploadError(
      "journal-failed",
      "Cannot continue from the journal: its entry for this source is not one of this version. " +
        "Discard the entry, or use another journal",
    );
  }
  return result.output as JournalEntry;
}

const WRITE_WAIT = 5_000;

/** Entries are shared by the uploads of one source, so each change is made under a short claim of its own. */
async function update(
  journal: Journal,
  key: string,
  change: (entry: JournalEntry) => JournalEntry,
): Promise<void> {
  const release = await waitForClaim(journal, `${key}.write`);
  try {
    const entry = change(await readEntry(journal, key));
    const empty = Object.keys(entry.uploads).length === 0 && entry.requested === undefined;
    await guarded("write", () => (empty ? journal.delete(key) : journal.set(key, entry)));
  } finally {
    await guarded("give back a place in", release);
  }
}

async function waitForClaim(journal: Journal, key: string): Promise<Release> {
  const deadline = Date.now() + WRITE_WAIT;
  for (;;) {
    const release = await guarded("claim a place in", () => journal.claim(key));
    if (release !== undefined) return release;
    if (Date.now() > deadline) {
      throw new UploadError(
        "journal-failed",
        "Cannot write the journal: another process has kept it for 5 s",
        {
          retryable: true,
        },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 30));
  }
}

/** An adapter's failure may show paths, keys or values: only its kind leaves. */
async function guarded<T>(action: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UploadError) throw error;
    const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
    const reason =
      [code, name].find((word) => typeof word === "string" && /^\w{2,40}$/.test(word)) ?? "unknown reason";
    throw new UploadError("journal-failed", `Cannot ${action} the journal: ${String(reason)}`, {
      retryable: true,
    });
  }
}
