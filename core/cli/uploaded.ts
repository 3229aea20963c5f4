/**
 * What was uploaded before, so that the same command uploads nothing twice: the journal forgets an upload that is done. A
 * file beside the entries, with a line for each video, which is written before the journal forgets.
 *
 * @module
 */

import { appendFile, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { digest } from "../digest.ts";
import { UploadError } from "../errors.ts";
import type { Journal, JournalEntry, Lease, UploadRecord } from "../journal/journal.ts";
import type { Complete } from "../options.ts";
import type { Progress } from "../progress/progress.ts";
import { codeOf } from "../system-error.ts";
import type { UploadOptions } from "../upload/options.ts";

/** Characters of a digest: enough to tell some millions of videos apart. */
const ID_LENGTH = 32;
const LINE_END = 10;

/** What makes it the same upload beside the source itself. */
export interface UploadTerms {
  /** What stands for the account in a journal. */
  account: string;
  /** What is asked for. */
  request: readonly string[];
}

/** A video that may have been uploaded before. */
export interface KnownVideo {
  /** Whether the notes of earlier commands count; asked once it was opened. */
  trustsNotes(): boolean;
  /** Told that it was uploaded before, as this asset. */
  onFound(asset: string): void;
}

/** An upload whose end is noted. */
export interface Noting extends Complete<Pick<UploadOptions, "journal" | "onProgress">> {
  /** Notes that it is whole, unless that was noted. */
  note(asset: string): Promise<void>;
}

/** The videos that were uploaded before. */
export class UploadedVideos {
  readonly #file: string;
  readonly #assets = new Map<string, string>();
  /** Those of this command alone. */
  readonly #own = new Map<string, string>();
  /** The ends of uploads of this command, by the keys of their leases: the last one that waits for each. */
  readonly #turns = new Map<string, Promise<void>>();
  /** Bytes of the file that were read. */
  #read = 0;
  #reading: Promise<void> = Promise.resolve();

  /** @param file where they are noted; other processes may add to it meanwhile */
  constructor(file: string) {
    this.#file = file;
  }

  /**
   * The journal for one upload. It notes the video as soon as that is whole, since the process may be killed before the
   * result, and gives no lease of one that was uploaded before and isn't being uploaded once more. One that this command is
   * uploading is waited for.
   */
  noting(journal: Journal, { account, request }: UploadTerms, known: KnownVideo): Noting {
    let id: string | undefined;
    let latest: Progress | undefined;
    const note = async (asset: string) => {
      if (id === undefined) return;
      this.#own.set(id, asset);
      if (this.#assets.get(id) === asset) return;
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
      // A line that broke off on a full disk takes no other with it.
      await appendFile(this.#file, `\n${id} ${asset}\n`, { mode: 0o600 });
      this.#assets.set(id, asset);
    };
    const beforeWrite = async (next?: JournalEntry) => {
      const asset = latest?.asset?.id;
      if (asset === undefined || latest?.total === undefined || latest.acknowledged < latest.total) return;
      // As long as the journal remembers it, it may not be done. That it is counts for more than the note.
      if (!recordsOf(next).some((record) => record.asset.id === asset)) await note(asset).catch(() => {});
    };
    return {
      note,
      journal: {
        ...journal,
        claim: async (key) => {
          // This one is for writing the entry.
          if (key.endsWith(".write")) return await journal.claim(key);
          const lease = await this.#claim(journal, key);
          if (lease === undefined) return undefined;
          try {
            id = (await digest([account, ...request, key])).slice(0, ID_LENGTH);
            // Whoever had the lease before has noted what it did by now.
            const asset = this.#own.get(id) ?? (known.trustsNotes() ? await this.#find(id) : undefined);
            if (asset === undefined || (await isUnfinished(journal, key))) return lease;
            known.onFound(asset);
          } catch (error) {
            await lease();
            throw error;
          }
          await lease();
          return undefined;
        },
        async set(key, entry) {
          await beforeWrite(entry);
          await journal.set(key, entry);
        },
        async delete(key) {
          await beforeWrite();
          await journal.delete(key);
        },
      },
      onProgress(progress) {
        latest = progress;
      },
    };
  }

  /** A lease of a video, once no other upload of this command has it. */
  async #claim(journal: Journal, key: string): Promise<Lease | undefined> {
    const before = this.#turns.get(key);
    let end = () => {};
    const turn = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#turns.set(key, turn);
    await before;
    const lease = await journal.claim(key).catch((error: unknown) => {
      end();
      throw error;
    });
    if (!lease) {
      end();
      return undefined;
    }
    const release = () => lease().finally(() => end());
    const { isHeld } = lease;
    return isHeld === undefined ? release : Object.assign(release, { isHeld: () => isHeld.call(lease) });
  }

  async #find(id: string): Promise<string | undefined> {
    const before = this.#reading.catch(() => {});
    this.#reading = before.then(() => this.#readOn());
    await this.#reading;
    return this.#assets.get(id);
  }

  /** Reads what was added; a line that another process is writing is read when it is whole. */
  async #readOn(): Promise<void> {
    try {
      const file = await open(this.#file, "r");
      try {
        const { size } = await file.stat();
        const bytes = new Uint8Array(Math.max(0, size - this.#read));
        const { bytesRead } = await file.read(bytes, 0, bytes.length, this.#read);
        const end = bytes.subarray(0, bytesRead).lastIndexOf(LINE_END) + 1;
        this.#read += end;
        for (const line of new TextDecoder().decode(bytes.subarray(0, end)).split("\n")) {
          const [id, asset] = line.split(" ", 2);
          if (id && asset) this.#assets.set(id, asset);
        }
      } finally {
        await file.close();
      }
    } catch (error) {
      const code = codeOf(error);
      if (code === "ENOENT") return;
      const words = `Cannot read what was uploaded before (${code ?? "it can't be opened"}): see ${this.#file}`;
      throw new UploadError("journal-failed", words);
    }
  }
}

/** Whether the journal remembers the upload of a lease, whose key is the source's and the beginning of the context. */
async function isUnfinished(journal: Journal, leaseKey: string): Promise<boolean> {
  const dot = leaseKey.lastIndexOf(".");
  const entry = await journal.get(leaseKey.slice(0, dot));
  const contexts = Object.keys(entry?.uploads ?? {});
  return contexts.some((context) => context.startsWith(leaseKey.slice(dot + 1)));
}

function recordsOf(entry: JournalEntry | undefined): UploadRecord[] {
  return Object.values(entry?.uploads ?? {});
}
