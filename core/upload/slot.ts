/**
 * An upload's slot in its journal: which one it is, and what becomes of what an earlier call left there.
 *
 * @module
 */

import type { Held } from "../abort.ts";
import { canonical, digest } from "../digest.ts";
import type { UploadError } from "../errors.ts";
import { memoryJournal } from "../journal/memory.ts";
import { type JournalSlot, openSlot } from "../journal/slot.ts";
import { accountOf, scopeOf } from "../requester.ts";
import type { AssetRequest } from "../service/asset.ts";
import type { ReadableSource } from "../source/source.ts";
import { requestUnknown, switchMethod } from "../transfer/request-location.ts";
import type { UploadCall } from "./call.ts";
import type { UploadSettings } from "./options.ts";

/** Leases the upload's slot in the journal; a source without identity has one of its own, which ends with the call. */
export async function openUploadSlot(
  { requester, settings: { journal, method, resume }, abort }: UploadCall,
  source: ReadableSource,
  request: AssetRequest,
  held: Held,
): Promise<{ slot: JournalSlot; lasts: boolean }> {
  const key = await source.identity();
  const scope = await scopeOf(requester);
  // "auto" mostly sends resumably, so these two share a context: either resumes what the other began.
  const kind = method === "auto" ? "resumable" : method;
  const context = await digest([scope, kind, canonical(request)]);
  const address = { key: key ?? "one-pass", account: await accountOf(scope), context };
  const memory = key === undefined ? memoryJournal() : journal;
  const slot = await openSlot(memory, address, { replaces: !resume, onLost: abort, held });
  return { slot, lasts: key !== undefined };
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
    // Whoever took the upload over is the one to report it.
    if (error.code === "in-progress") throw error;
  });
}
