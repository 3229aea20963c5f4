/**
 * For runtimes with a disk (Node, Bun, Deno): files as sources, and a journal that outlives the process.
 *
 * @example Upload a file, and resume it after the process ended
 * ```ts
 * import { fileJournal, openFile } from "@upcut/core/file";
 * import { createClient, upload } from "@upcut/core";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * const send = async (path: string) =>
 *   await upload(client, await openFile(path), { journal: fileJournal("./.uploads") });
 * await send("launch.mp4").catch(({ code }) => console.log(code)); // "invalid-source": there is no such file here
 * ```
 *
 * @module
 */

export { fileJournal } from "./disk/journal.ts";
export { openFile } from "./disk/source.ts";
