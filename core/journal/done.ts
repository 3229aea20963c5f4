/**
 * Finished uploads in a journal, so that `once` gives the earlier result in place of a second asset. They are an entry of
 * their own beside that of the unfinished ones: without a secret, it may be kept for longer.
 */
import * as v from "valibot";
import { withFields } from "../service/asset-schema.ts";
import { madeAsset } from "./entry.ts";
import type { DoneUpload } from "./journal.ts";
import { otherShape, readEntry, type Store, update } from "./store.ts";
import { doneKey } from "./terms.ts";

const doneSchema = v.looseObject({
  ...madeAsset,
  account: v.string(),
  size: v.number(),
  doneAt: v.number(),
  seenAt: v.optional(v.number()),
});

export interface DonePlace extends Pick<Store, "journal" | "key"> {
  /** True to replace an entry that can't be read, instead of an error. @default false */
  replaces?: boolean;
}

/**
 * The newest of a source's finished uploads that have one of these contexts.
 *
 * @throws {UploadError} `journal-failed` where it can't be read: a second asset may be the price of going on
 */
export async function findDone(
  place: DonePlace,
  contexts: readonly string[],
): Promise<DoneUpload | undefined> {
  const { done } = await readEntry(storeOf({ replaces: false, ...place }));
  const found = contexts.flatMap((context) => {
    if (!Object.hasOwn(done, context)) return [];
    const result = v.safeParse(doneSchema, done[context]);
    if (result.success) {
      const upload = result.output as DoneUpload;
      return [{ ...upload, asset: withFields(upload.asset) }];
    }
    if (place.replaces) return [];
    throw otherShape("its record of a finished upload");
  });
  return found.sort((a, b) => b.doneAt - a.doneAt)[0];
}

/** @param confirm rejects if somebody else has the lease of the upload by now */
export async function noteDone(
  { journal, key }: DonePlace,
  context: string,
  upload: DoneUpload,
  confirm: () => Promise<void>,
): Promise<void> {
  await update(storeOf({ journal, key }, confirm), (entry) => ({
    ...entry,
    done: { ...entry.done, [context]: upload },
  }));
}

/**
 * Forgets an account's finished uploads of a source, and gives them back.
 *
 * @param assetId the one that is forgotten; all by default
 */
export async function forgetDone(
  { journal, key }: DonePlace,
  account: string,
  assetId?: string,
): Promise<DoneUpload[]> {
  const isOwn = (upload: unknown): upload is DoneUpload =>
    v.is(doneSchema, upload) &&
    upload.account === account &&
    (assetId === undefined || upload.asset.id === assetId);
  let forgotten: DoneUpload[] = [];
  const { done } = await readEntry(storeOf({ journal, key, replaces: false }));
  if (!Object.values(done).some(isOwn)) return [];
  await update(storeOf({ journal, key }), (entry) => {
    const all = Object.entries(entry.done);
    forgotten = all.map(([, upload]) => upload).filter(isOwn);
    return { ...entry, done: Object.fromEntries(all.filter(([, upload]) => !isOwn(upload))) };
  });
  return forgotten;
}

function storeOf({ journal, key, replaces = true }: DonePlace, confirm = async () => {}): Store {
  return { journal, key: doneKey(key), replaces, confirm };
}
