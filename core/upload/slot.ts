/** An upload's slot in its journal: which one it is, and what becomes of what an earlier call left there. */
import type { Held } from "../abort.ts";
import { canonical, digest } from "../digest.ts";
import type { UploadError } from "../errors.ts";
import { findDone } from "../journal/done.ts";
import type { DoneUpload } from "../journal/journal.ts";
import { memoryJournal } from "../journal/memory.ts";
import { type JournalSlot, openSlot, type SlotAddress } from "../journal/slot.ts";
import { accountOf, scopeOf } from "../requester.ts";
import type { AssetRequest } from "../service/request-fields.ts";
import type { ReadableSource } from "../source/source.ts";
import { requestUnknown, switchMethod } from "../transfer/location.ts";
import type { UploadCall } from "./call.ts";
import { type FinishedUploads, finishedUploads, sameUpload, unrecognizable, untilFree } from "./once.ts";
import type { UploadSettings } from "./options.ts";

/** Where an upload is remembered while it runs, and once it is finished. */
export interface UploadMemory {
  slot: JournalSlot;
  /** True if the slot outlives the call. */
  lasts: boolean;
  finished: FinishedUploads | undefined;
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
  const { address, contexts } = await addressOf(call, source, request);
  const lasts = address.key !== undefined;
  const { key = "one-pass" } = address;
  const memory = lasts ? journal : memoryJournal();
  const open = () => openSlot(memory, { ...address, key }, { replaces: !resume, onLost: abort, held });
  if (!once) return { slot: await open(), lasts, finished: undefined };
  const slot = waits ? await untilFree(open, signal) : await open();
  const opened = { call, source, slot, journal };
  return { slot, lasts, finished: finishedUploads(opened, { ...address, key }, contexts) };
}

/** An earlier upload of the source that `once` gives in place of a second asset, looked for without a lease. */
export async function findUploaded(
  call: UploadCall,
  source: ReadableSource,
  request: AssetRequest,
): Promise<DoneUpload | undefined> {
  const { address, contexts } = await addressOf(call, source, request);
  const { key } = address;
  return key === undefined ? undefined : await findDone({ journal: call.settings.journal, key }, contexts);
}

/** A slot's address, without a key for a source that can't be told from others. */
interface UploadAddress extends Omit<SlotAddress, "key"> {
  key: string | undefined;
}

/** @returns the contexts of the same upload, by whichever method it went, beside its address */
async function addressOf(
  call: UploadCall,
  source: ReadableSource,
  request: AssetRequest,
): Promise<{ address: UploadAddress; contexts: string[] }> {
  const { method, once } = call.settings;
  const key = await source.identity();
  if (once && key === undefined) throw unrecognizable();
  const scope = await scopeOf(call.requester);
  const what = once ? await sameUpload(call, source, request) : [canonical(request)];
  const contextOf = (kind: string) => digest([scope, kind, ...what]);
  // "auto" mostly sends resumably, so these two share a context: either resumes what the other began.
  const context = await contextOf(method === "auto" ? "resumable" : method);
  const account = await accountOf(scope);
  const contexts = once ? [context, await contextOf("resumable"), await contextOf("direct")] : [context];
  return { address: { key, account, context }, contexts };
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
  if (slot.hasRequestNote) throw await requestUnknown(slot);
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
