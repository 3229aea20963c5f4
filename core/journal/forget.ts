/** Takes finished uploads out of a journal, so that `once` uploads them again. */

import * as v from "valibot";
import { runtimeFetch } from "../http/fetch.ts";
import { abortSignal, journal, readOptions, type SchemasOf } from "../options.ts";
import { accountOf, checkRequester, journalOf, type Requester, scopeOf } from "../requester.ts";
import type { Asset } from "../service/asset.ts";
import type { Uploadable } from "../source/open.ts";
import type { UploadOptions } from "../upload/options.ts";
import { forgetDone } from "./done.ts";
import { keyOfGiven } from "./key.ts";

type ForgetOptions = Pick<UploadOptions, "journal" | "signal">;

const forgetOptions = v.strictObject({
  journal: v.optional(journal),
  signal: v.optional(abortSignal),
} satisfies SchemasOf<ForgetOptions>);

/**
 * Forgets that an account has uploaded a source, whatever was asked for: `upload()` with `once` makes a new asset of it.
 *
 * Asks nothing of the service. Unfinished uploads stay remembered; `discard()` ends those.
 *
 * @param requester whose uploads they are, for example a client
 * @param given the same source, another with the same content, or `{ journalKey }` with what `journalKey()` returned
 * @param options the journal that remembers them, by default that of the requester in memory, and a signal
 * @returns the assets that were forgotten, none where there was none
 * @throws {InputError} before anything is done.
 * @throws {UploadError} `journal-failed`
 * @example Upload a video again whose asset was deleted
 * ```ts
 * import { createClient, forget } from "@upcut/core";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * const video = new File(["…"], "launch.mp4", { type: "video/mp4" });
 * const { assets } = await forget(client, video);
 * console.log(assets.length); // 0: it was not uploaded
 * ```
 */
export async function forget(
  requester: Requester,
  given: Uploadable | { journalKey: string },
  options: Pick<UploadOptions, "journal" | "signal"> = {},
): Promise<{ assets: Asset[] }> {
  checkRequester("forget an upload", requester);
  const settings = readOptions("forget an upload", forgetOptions, options);
  const { signal = new AbortController().signal } = settings;
  signal.throwIfAborted();
  const reading = { fetch: requester.fetch ?? runtimeFetch, signal };
  const key = await keyOfGiven(given, reading);
  if (key === undefined) return { assets: [] };
  const place = { journal: settings.journal ?? journalOf(requester), key };
  const forgotten = await forgetDone(place, await accountOf(await scopeOf(requester)));
  return { assets: forgotten.map(({ asset }) => asset) };
}
