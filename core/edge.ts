/**
 * For workers at the edge: objects of an R2 bucket as sources, and a journal in a Durable Object, so that any worker resumes
 * what another one left.
 *
 * The worker says `export { JournalObject } from "@upcut/core/edge"`, and binds that class with SQLite storage
 * (`new_sqlite_classes`).
 *
 * @example A worker that uploads objects of a bucket
 * ```ts
 * import { createClient, upload } from "@upcut/core";
 * import { durableObjectJournal, openR2Object } from "@upcut/core/edge";
 *
 * interface Bindings {
 *   VIDEOS: Parameters<typeof openR2Object>[0]; // R2Bucket
 *   JOURNAL: Parameters<typeof durableObjectJournal>[0]; // DurableObjectNamespace
 *   TOKEN: string;
 * }
 * async function send(env: Bindings, key: string): Promise<string> {
 *   const client = createClient({ baseUrl: "https://video.example", token: env.TOKEN });
 *   const journal = durableObjectJournal(env.JOURNAL);
 *   const { asset } = await upload(client, await openR2Object(env.VIDEOS, key), { journal });
 *   return asset.id;
 * }
 * console.log(typeof send); // "function"
 * ```
 *
 * @module
 */

export { durableObjectJournal } from "./journals/durable-object.ts";
export { JournalObject } from "./journals/journal-object.ts";
export { openR2Object } from "./source/r2.ts";
