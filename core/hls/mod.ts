/**
 * Makes one file to upload of a video in pieces (HLS, and DASH of videos that are over). Needs the package mediabunny, which
 * is loaded when it is used.
 *
 * @example Upload the smallest quality of a video in pieces
 * ```ts
 * import { inspectHls, openHls } from "@upcut/core/hls";
 * import { createClient, isUpcutError, upload } from "@upcut/core";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * const address = new URL("http://127.0.0.1:9/launch/main.m3u8");
 * try {
 *   const signal = AbortSignal.timeout(100);
 *   const { qualities } = await inspectHls(address, { signal });
 *   const smallest = qualities.findLast(({ problem }) => problem === undefined);
 *   const video = await openHls(address, { signal, ...(smallest && { quality: smallest.id }) });
 *   await upload(client, video, { name: "Launch video" });
 * } catch (error) {
 *   console.log(isUpcutError(error)); // false: nothing listens there, and the time was up
 * }
 * ```
 *
 * @module
 */

export { inspectHls } from "./inspect.ts";
export { openHls } from "./open.ts";
export type { HlsOptions, HlsVideo } from "./options.ts";
