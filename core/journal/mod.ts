/**
 * Journals, the memory of unfinished uploads: to list them, to find the entry of a source, and to write a journal for a
 * store of one's own.
 *
 * @example List what is unfinished, and tell whether a file is among it
 * ```ts
 * import { memoryJournal } from "@upcut/core";
 * import { journalKey } from "@upcut/core/journal";
 *
 * const journal = memoryJournal();
 * const video = new File(["…"], "launch.mp4", { type: "video/mp4" });
 * const [key, unfinished] = [await journalKey(video), await journal.list()];
 * console.log(unfinished.some((upload) => upload.journalKey === key)); // false: nothing was begun
 * ```
 *
 * @module
 */

export { type ForgetOptions, type ForgetResult, forget } from "./forget.ts";
export type { Journal, JournalEntry, Lease } from "./journal.ts";
export { journalKey } from "./key.ts";
export { type ListableJournal, type UnfinishedUpload, unfinishedUploads } from "./listing.ts";
export { type MemoryJournalOptions, memoryJournal } from "./memory.ts";
