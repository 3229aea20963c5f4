/**
 * The name of a video in pieces, made of the address of its playlist.
 *
 * @module
 */

import { decodeOrKeep } from "../decode-or-keep.ts";

/** Names that say what a file is, and nothing of the video. */
const PLAIN =
  /^(\d*|chunklist.*|index.*|main|manifest|master|media|playlist.*|prog_index|stream|video|v\d+)$/i;

/** A file name for an address. */
export function nameOf({ pathname }: URL): string {
  const steps = pathname
    .split("/")
    .map((step) => decodeOrKeep(step).replace(/\.(m3u8?|mpd|ism|smil|mp4)$/i, ""));
  const telling = steps.filter((step) => step !== "" && step.length <= 200).reverse();
  const name =
    telling.find((step) => !PLAIN.test(step.replace(/\.(m3u8?|mpd|ism|smil|mp4)$/i, ""))) ?? "video";
  return `${name.replace(/[\\/]/g, " ")}.mp4`;
}
