/** Uploads of `once`: what makes a source the same as before, waiting for whoever has it, and the result that it gave. */
import { delay } from "../abort.ts";
import { canonical } from "../digest.ts";
import { InputError, isUpcutError } from "../errors.ts";
import { findDone, forgetDone, noteDone } from "../journal/done.ts";
import type { DoneUpload, Journal, UploadRecord } from "../journal/journal.ts";
import type { JournalSlot, SlotAddress } from "../journal/slot.ts";
import type { AssetRequest } from "../service/request-fields.ts";
import type { ReadableSource } from "../source/source.ts";
import type { UploadCall } from "./call.ts";

/** Finished uploads of a source, read and written under the lease of its slot. */
export interface FinishedUploads {
  find(): Promise<DoneUpload | undefined>;
  /**
   * Notes that this one is finished.
   *
   * @returns whether the journal has noted it; else its record has to stay
   */
  note(record: UploadRecord, size: number): Promise<boolean>;
  /** Forgets one that turned out to be no copy of the source. */
  forget(assetId: string): Promise<void>;
}

/** Two uploads of a source are the same by their request, without a name that only the file has, and their content. */
export async function sameUpload(
  { options: { name } }: UploadCall,
  source: ReadableSource,
  request: AssetRequest,
): Promise<string[]> {
  const { name: _, ...unnamed } = request;
  const content = await source.contentDigest?.();
  const asked = canonical(name === undefined ? unnamed : request);
  return content === undefined ? [asked] : [asked, content];
}

/** The error for a stream: another call could not know it again. */
export function unrecognizable(): InputError {
  const advice = "Leave once out, or give a source that can be read again";
  return new InputError(
    "invalid-option",
    `Cannot upload once: a stream can't be told from another one. ${advice}`,
  );
}

/** Milliseconds between two looks whether the other upload of a source has ended. */
const WAIT = 250;

/** Opens a slot, after any other upload of the source has ended. */
export async function untilFree(open: () => Promise<JournalSlot>, signal: AbortSignal): Promise<JournalSlot> {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!isUpcutError(error) || error.code !== "in-progress") throw error;
    }
    await delay(WAIT, signal);
  }
}

interface OpenUpload {
  call: UploadCall;
  source: ReadableSource;
  slot: JournalSlot;
  journal: Journal;
}

/** @param contexts those of the same upload, by whichever method it went */
export function finishedUploads(
  { call: { settings, startedAt }, source, slot, journal }: OpenUpload,
  { key, account, context }: SlotAddress,
  contexts: readonly string[],
): FinishedUploads {
  const place = { journal, key, replaces: !settings.resume };
  return {
    async find() {
      const done = await findDone(place, contexts);
      // One that the same call has made counts in any case. It is later than the start, at which an earlier call may have ended.
      if (done === undefined || done.doneAt > startedAt) return done;
      if (!settings.resume || !isRecognizable(source)) return undefined;
      // It was begun once more since then: what is unfinished comes first.
      const isOther = slot.record !== undefined && slot.record.asset.id !== done.asset.id;
      return isOther ? undefined : done;
    },
    async note({ asset, task, mismatches }, size) {
      const done = { account, asset, mismatches, size, doneAt: Date.now(), ...(task && { task }) };
      try {
        await noteDone(place, context, done, slot.confirm);
        return true;
      } catch (error) {
        // The call that took the upload over reports it.
        if (isUpcutError(error) && error.code === "in-progress") throw error;
        return false;
      }
    },
    forget: async (assetId) => void (await forgetDone({ journal, key }, account, assetId)),
  };
}

/** True if another video at its address would show. */
function isRecognizable({ origin, size, namesVersion }: ReadableSource): boolean {
  return origin === undefined || size !== undefined || namesVersion === true;
}
