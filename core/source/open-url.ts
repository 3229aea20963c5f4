/** A video at an address, with what its server wants to be asked with. */
import * as v from "valibot";
import { checkedFetch, type Fetch } from "../http/fetch.ts";
import { callback, headers, oneOf, readOptions, refusedOption, type SchemasOf } from "../options/checks.ts";
import { isObject } from "../text/is-object.ts";
import type { ReadableSource, Source } from "./source.ts";
import { urlSource } from "./url.ts";
import type { UrlFetch } from "./url-request.ts";

/** How a server is asked for a video, or for a playlist and its pieces. */
export interface UrlOptions {
  /** Headers for the origin of the address alone: nothing elsewhere gets them, nor does a redirect carry them there. */
  headers?: Record<string, string> | undefined;
  /** For browsers: whether cookies go along. */
  credentials?: "omit" | "same-origin" | "include" | undefined;
  /** Used for these requests. @default the requester's own for `openUrl()`, the runtime's for `openHls()` */
  fetch?: ((input: string | URL | Request, init?: RequestInit) => Promise<Response>) | undefined;
}

export const urlOptions: SchemasOf<UrlOptions> = {
  headers: v.optional(headers),
  credentials: v.optional(oneOf(["omit", "same-origin", "include"])),
  fetch: v.optional(callback<Fetch>()),
};

const options = v.strictObject(urlOptions);

/** An address that is asked by each upload of it, in the way that upload is made. */
export interface UrlSource extends Source {
  openWith(how: UrlFetch): Promise<ReadableSource>;
}

/**
 * Names a video at an address whose server wants headers or cookies; `upload()` takes the URL itself where it wants none.
 *
 * The server is asked when the upload begins, so name, type and size are not known before.
 *
 * @param url the address of a video
 * @param given how its server is asked
 * @returns the video, for `upload()`
 * @throws {InputError} `invalid-option`
 * @example Upload a video that needs a key to be read
 * ```ts
 * import { openUrl } from "@upcut/core";
 *
 * const video = openUrl(new URL("https://videos.example/launch.mp4"), { headers: { "x-key": "<KEY>" } });
 * console.log(video.size); // undefined: its server isn't asked yet
 * ```
 */
export function openUrl(url: URL, given: UrlOptions = {}): Source {
  if (!(url instanceof URL)) throw refusedOption("open a URL", "the address", url, "a URL: new URL(…)");
  const { fetch, ...how } = readOptions("open a URL", options, given);
  const address = new URL(url);
  const source: UrlSource = {
    name: undefined,
    type: undefined,
    size: undefined,
    close: async () => {},
    openWith: (reading) =>
      urlSource(address, { ...reading, ...how, ...(fetch && { fetch: checkedFetch(fetch) }) }),
  };
  return source;
}

export function isUrlSource(value: unknown): value is UrlSource {
  return isObject(value) && typeof value.openWith === "function";
}
