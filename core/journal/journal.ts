/**
 * The records by which a later call resumes the same asset.
 *
 * A journal has one entry per source. An entry holds the unfinished uploads of that source, each under a hash of
 * the base address, the account and the request, so that another account or another request never resumes it.
 * A journal stores locations and upload URLs, which are secrets: keep it where only the person can read it.
 */
import type { Asset, UploadLocation } from "../service/asset.ts";

/** The asset of an upload, finished or not. */
interface MadeAsset {
  /** A digest of the requester's scope; an earlier version noted none of an unfinished upload. */
  account?: string;
  /** The asset as it was created. */
  asset: Asset;
  /** The task created for the asset, if the service named one. */
  task?: NonNullable<UploadLocation["task"]>;
  /** Where the creation answer differs from the interface document. */
  mismatches: UploadLocation["mismatches"];
}

/** One unfinished upload. */
export interface UploadRecord extends MadeAsset {
  method: "resumable" | "direct";
  /** The name of the source, its bytes where they are known, and the origin of its address. */
  source?: { name?: string; size?: number; origin?: string };
  /** When the asset was made: milliseconds since 1970. */
  begunAt?: number;
  /** Bytes that the service was known to have; its own answer counts when the upload is resumed. */
  acknowledged?: number;
  /** The one-time location, which knows whether its asset is whole. A secret. */
  location?: string;
  /** The address of the tus upload. A secret. */
  uploadUrl?: string;
  /** Resumable, for a source of unknown length: the length that the service was told with the last bytes. */
  toldLength?: number;
  /** Origins of the locations that the service gave: an upload URL elsewhere gets no authorization. */
  origins?: string[];
  /** Proves that the service gave them to this account: their HMAC, by the token that asked for the location. */
  proof?: string;
  /** Where a file that went directly can be sent resumably, should that be asked for. A secret. */
  resumableLocation?: string;
  /** Short digests of the parts that were read, where the source can only be read from its start. */
  parts?: string[];
  /** True if one direct try had handed over the whole body, so that "already uploaded" means success; false if it means none. */
  handedOver?: boolean;
}

/** One finished upload, without any secret. */
export interface DoneUpload extends MadeAsset {
  account: string;
  /** Bytes of the source. */
  size: number;
  /** When the service had all of it: milliseconds since 1970. */
  doneAt: number;
  /** When the source was last found to be uploaded, where that is later. */
  seenAt?: number;
}

/** A journal's entry for one source: plain JSON. Journals store it whole, and don't look into it. */
export interface JournalEntry {
  /** Version of this shape. */
  version: 1;
  /** Unfinished uploads of the source, by a digest of account, method and request: enough to resume the same asset. */
  uploads: Record<string, UploadRecord>;
  /**
   * Which of them have asked for a location without an answer so far. One that is still here when no call is under way
   * belongs to a process that ended meanwhile: an asset may have been created.
   */
  requested?: string[];
  /**
   * Finished uploads of the source, by the same digest. They are an entry of their own, whose key ends in `.done`, so that a
   * store may keep it for longer.
   */
  done?: Record<string, DoneUpload>;
}

/** An unfinished upload, as a journal lists it: nothing of it is a secret. */
export interface UnfinishedUpload {
  /** For `discard(requester, { journalKey })`, and to tell sources apart. */
  journalKey: string;
  /** A digest of base address and account, the same for all uploads of one account; `undefined` where an earlier version stored none. */
  account: string | undefined;
  /** File name of the source, or the asset's name where an earlier version stored none. */
  name: string | undefined;
  /** Where the source is read from, for an address: its origin alone, since the rest may be signed. */
  origin: string | undefined;
  /** Bytes of the source, where they are known. */
  size: number | undefined;
  /** The asset; `undefined` where the answer to the request for it never came, so that nobody knows whether there is one. */
  assetId: string | undefined;
  /** How it is sent; `undefined` without an asset. */
  method: "resumable" | "direct" | undefined;
  /**
   * Bytes that the service was known to have when the entry was last written; it may have more by now. `undefined` where it
   * hadn't said so.
   */
  acknowledged: number | undefined;
  /** Milliseconds since the asset was made; `undefined` where an earlier version stored no time. */
  age: number | undefined;
}

/**
 * Four methods are a journal: the adapter for a store of your own, for example a database. A fifth lets a store that
 * may be full say so before anything is asked of the service.
 *
 * A journal that can't be read, claimed or reserved ends a call before an asset is made. One that fails later stops
 * no upload, since going on is the surest way to save it; `resumable` of progress and `resume` of errors say what it
 * holds.
 *
 * Keys are hex digests with a short suffix (`.done` for finished uploads); entries are plain JSON, which a journal stores
 * whole. `get` may return what `set` stored in another process or runtime. All journals of this module have every method.
 *
 * @example A journal that remembers nothing
 * ```ts
 * import { type Journal, memoryJournal } from "@upcut/core";
 *
 * const quiet: Journal = { ...memoryJournal(), set: async () => {} };
 * console.log(await quiet.get("a-key")); // undefined
 * ```
 */
export interface Journal {
  /**
   * Reads an entry.
   *
   * @param key what the entry was stored by
   * @returns the entry of a source, or `undefined` or `null`
   */
  get(key: string): Promise<unknown>;
  /**
   * Stores an entry whole, or fails and leaves the former one.
   *
   * @param key what it will be read by
   * @param entry plain JSON; it holds secrets
   */
  set(key: string, entry: object): Promise<void>;
  /**
   * Forgets an entry; an unknown key is no error.
   *
   * @param key what it was stored by
   */
  delete(key: string): Promise<void>;
  /**
   * Leases a key to this holder alone.
   *
   * @param key that of an entry with a suffix, so that it is none itself
   * @returns a function that gives it back, and leaves alone what has become another's; `undefined` while it is taken
   */
  claim(key: string): Promise<
    | ((() => Promise<void>) & {
        /**
         * True if the key still belongs to this holder, for a journal that gives a key to another one when its holder shows no
         * sign of life. Asked before each request, every second, and after the process was suspended. `false`, a rejection or
         * no answer within 10 s ends the upload with `in-progress`: where the journal's store can't be reached for a moment,
         * the answer is `true` until the key may be another's. A key may become another's no sooner than after 3 s.
         *
         * @returns whether this holder may go on
         * @default always true
         */
        isHeld?(): Promise<boolean>;
      })
    | undefined
  >;
  /**
   * Makes room for an entry that `set` will store.
   *
   * @param key what it will be stored by
   * @returns a function that gives the room back
   * @default has room
   */
  reserve?(key: string): Promise<() => Promise<void>>;
  /**
   * Lists the unfinished uploads of all accounts, those that run now included; `readJournalEntry()` reads them out of an
   * entry. What can't be read is left out.
   *
   * @returns one element for each, in no order
   * @throws where the journal can't be read at all.
   * @default can't be listed
   */
  list?(): Promise<UnfinishedUpload[]>;
}

/** A key that belongs to one upload: a function that gives it back. */
export type Lease = NonNullable<Awaited<ReturnType<Journal["claim"]>>>;
