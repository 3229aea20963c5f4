/** A link that a person gives as a video's: pasted, or under a right-click. Pure. */
import { kindOf } from "./video-kind.ts";
import { fileNameOf, isWebAddress } from "./web-address.ts";

/** Why a link can't be taken. `no-link` begins with neither https:// nor http://, `password` holds one. */
export type LinkRefusal = "no-link" | "password" | "hls" | "dash";

export type VideoLink = { address: string; title: string } | { refused: LinkRefusal };

/** What a text means as a link. Whether a video is there shows when it is read. */
export function readLink(text: string): VideoLink {
  const given = text.trim();
  if (!isWebAddress(given)) return { refused: "no-link" };
  const url = new URL(given);
  if (url.username !== "" || url.password !== "") return { refused: "password" };
  url.hash = "";
  const kind = kindOf(url.href);
  if (kind === "hls" || kind === "dash") return { refused: kind };
  return { address: url.href, title: fileNameOf(url.href) || url.host };
}
