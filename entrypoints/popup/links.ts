/** Where a finished upload can be seen: the person's playback page, else what the service's record names. Pure. */
import type { Asset } from "../../core/mod.ts";
import { isWebAddress } from "../shared/web-address.ts";

export interface Links {
  /** The best place to watch it. */
  watch?: string;
  /** The MP4, where it has an address besides. */
  download?: string;
}

/** @param playbackPage an address with {playbackId} and {assetId}, or empty */
export function linksOf({ id, playbackId, playbackUrl, downloadUrl }: Asset, playbackPage: string): Links {
  const page = playbackPage.includes("{playbackId}") && playbackId === undefined ? "" : playbackPage;
  const filled = page
    .replaceAll("{playbackId}", encodeURIComponent(String(playbackId)))
    .replaceAll("{assetId}", encodeURIComponent(id));
  const [watch, ...others] = [webAddress(filled), webAddress(playbackUrl), webAddress(downloadUrl)].filter(
    (address) => address !== undefined,
  );
  const download = webAddress(downloadUrl);
  return {
    ...(watch !== undefined && { watch }),
    ...(download !== undefined && others.includes(download) && { download }),
  };
}

/** The record is the service's: an address of any other scheme must not become a link. */
function webAddress(value: unknown): string | undefined {
  return typeof value === "string" && isWebAddress(value) ? value : undefined;
}
