/**
 * Makes one file to upload of a video in pieces (HLS, and DASH of videos that are over). Needs the package mediabunny, which
 * is loaded when it is used.
 *
 * @example Upload the smallest quality of a video in pieces
 * ```ts
 * import { type Client, upload } from "@upcut/core";
 * import { inspectHls, openHls } from "@upcut/core/hls";
 *
 * async function sendSmallest(client: Client, address: URL): Promise<void> {
 *   const { qualities } = await inspectHls(address);
 *   const smallest = qualities.findLast(({ problem }) => problem === undefined);
 *   await upload(client, await openHls(address, { quality: smallest?.id }));
 * }
 * console.log(typeof sendSmallest); // "function"
 * ```
 *
 * @module
 */

export { inspectHls } from "./inspect.ts";
export { openHls } from "./open.ts";
export type { HlsOptions, HlsVideo } from "./options.ts";
