/**
 * An upload's slot in its journal: which one it is, what becomes of what an earlier call left there, and with `once` the
 * result of an upload that is finished.
 */

import { canonical, digest } from "../content/digest.ts";
import { assetUnknown, InputError, isUpcutError, type UploadError } from "../errors/errors.ts";
import { type DonePlace, findDone, forgetDone, noteDone } from "../journal/done.ts";
import type { DoneUpload, UploadRecord } from "../journal/journal.ts";
import { memoryJournal } from "../journal/memory.ts";
import { type JournalSlot, openSlot, readRecord } from "../journal/slot.ts";
import type { AssetRequest } from "../service/request-fields.ts";
import { accountOf, scopeOf } from "../service/requester.ts";
import type { ReadableSource } from "../source/source.ts";
import type { Held } from "../time/abort.ts";
import { dateNow } from "../time/clock.ts";
import { switchMethod } from "../transfer/location.ts";
import type { UploadCall, UploadSettings } from "./options.ts";

export interface UploadMemory {
  slot: JournalSlot;
  /** The key by which the journal knows the source; without one, the slot ends with the call. */
  identity: string | undefined;
  /** With `once`: finished uploads of the source, read and written under the lease of its slot. */
  finished?: {
    find(): Promise<DoneUpload | undefined>;
    /** @returns whether the journal has noted it; else its record has to stay */
    note(record: UploadRecord, size: number): Promise<boolean>;
    /** Forgets one that turned out to be no copy of the source. */
    forget(assetId: string): Promise<void>;
  };
}

/** Leases the upload's slot in the journal; a source without identity has one of its own, which ends with the call. */
export async function openUploadSlot(
  call: UploadCall,
  source: ReadableSource,
  request: AssetRequest,
  held: Held,
): Promise<UploadMemory> {
  const { settings, signal, abort, waits } = call;
  const { journal, resume, once } = settings;
  const { identity, account, contexts } = await addressOf(call, source, request);
  const key = identity ?? "one-pass";
  const [context] = contexts;
  const memory = identity === undefined ? memoryJournal() : journal;
  const taking = { replaces: !resume, onLost: abort, held, signal, waits: once && waits };
  const slot = await openSlot(memory, { key, account, context }, taking);
  if (!once) return { slot, identity };
  const place = { journal, key, replaces: !resume };
  const finished: UploadMemory["finished"] = {
    async find() {
      const done = await findEarlier(call, source, { place, contexts, record: slot.record });
      // A note that is seen again is dated anew. A journal that can't be written forgets it when its time is over.
      if (done !== undefined && dateNow() - (done.seenAt ?? done.doneAt) > SEEN_INTERVAL)
        await noteDone(place, context, { ...done, seenAt: dateNow() }, slot.confirm).catch(() => {});
      return done;
    },
    async note({ asset, task, mismatches }, size) {
      const done = { account, asset, mismatches, size, doneAt: dateNow(), ...(task && { task }) };
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
  return { slot, identity, finished };
}

/** An earlier upload of the source that `once` would give in place of a second asset, looked for without a lease. */
export async function findUploaded(
  call: UploadCall,
  source: ReadableSource,
  request: AssetRequest,
): Promise<DoneUpload | undefined> {
  const { journal, resume } = call.settings;
  const { identity: key, contexts } = await addressOf(call, source, request);
  if (key === undefined) return undefined;
  const place = { journal, key, replaces: !resume };
  const { record } = await readRecord(place, contexts[0]);
  return await findEarlier(call, source, { place, contexts, record });
}

/** @returns the earlier upload that `once` gives in place of a second asset */
async function findEarlier(
  { settings: { resume }, startedAt }: UploadCall,
  { origin, size, namesVersion }: ReadableSource,
  found: { place: DonePlace; contexts: readonly string[]; record: UploadRecord | undefined },
): Promise<DoneUpload | undefined> {
  const { place, contexts, record } = found;
  const done = await findDone(place, contexts);
  // A note that this call wrote always counts: it is newer than the start, by which an earlier call may have ended.
  if (done === undefined || done.doneAt > startedAt) return done;
  // For any other source, another video at its address would not show.
  const isRecognizable = origin === undefined || size !== undefined || namesVersion === true;
  if (!resume || !isRecognizable) return undefined;
  // The source was begun once more since then: what is unfinished comes first.
  return record === undefined || record.asset.id === done.asset.id ? done : undefined;
}

/** @returns the context of the upload, and with `once` after it those of the same one by whichever method it went */
async function addressOf(
  call: UploadCall,
  source: ReadableSource,
  request: AssetRequest,
): Promise<{ identity: string | undefined; account: string; contexts: [string, ...string[]] }> {
  const { method, once } = call.settings;
  const identity = await source.identity();
  if (once && identity === undefined) {
    const state = "a stream can't be told from another one";
    const advice = "Leave once out, or give a source that can be read again";
    throw new InputError("invalid-option", `Cannot upload once: ${state}. ${advice}`);
  }
  const scope = await scopeOf(call.requester);
  const what = once ? await sameUpload(call, source, request) : [canonical(request)];
  const contextOf = (kind: string) => digest([scope, kind, ...what]);
  // "auto" mostly sends resumably, so these two share a context: either resumes what the other began.
  const context = await contextOf(method === "auto" ? "resumable" : method);
  const others = once ? [await contextOf("resumable"), await contextOf("direct")] : [];
  return { identity, account: await accountOf(scope), contexts: [context, ...others] };
}

/**
 * Decides whether what an earlier call left is resumed.
 *
 * @throws {ConnectionError} `asset-unknown` where that call ended while it asked for a location
 */
export async function prepareSlot(
  slot: JournalSlot,
  source: ReadableSource,
  { resume, method }: UploadSettings,
): Promise<boolean> {
  if (slot.hasRequestNote) {
    // The call after this one asks again.
    await slot.clearRequestNote();
    throw assetUnknown("an earlier call ended");
  }
  if (!resume) Object.assign(slot, { record: undefined, stored: false });
  else switchMethod(slot, method);
  if (slot.record?.parts !== undefined) source.expect?.(slot.record.parts);
  return slot.record !== undefined;
}

/** Forgets an upload whose asset is whole: a journal that fails now can only make the same source find it again. */
export async function forgetUpload(slot: JournalSlot): Promise<void> {
  await slot.forget().catch((error: UploadError) => {
    // The call that took the upload over reports it.
    if (error.code === "in-progress") throw error;
  });
}

/** Two uploads of a source are the same by their request, without a name that only the file has, and their content. */
async function sameUpload(
  { options: { name } }: UploadCall,
  source: ReadableSource,
  request: AssetRequest,
): Promise<string[]> {
  const { name: _, ...unnamed } = request;
  const content = await source.contentDigest?.();
  const asked = canonical(name === undefined ? unnamed : request);
  return content === undefined ? [asked] : [asked, content];
}

/** Milliseconds after which a finished upload that is seen again is written anew, which dates it. */
const SEEN_INTERVAL = 24 * 60 * 60 * 1000;
