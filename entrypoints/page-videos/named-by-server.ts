/** Finds the videos among links that only their server knows to be some: by a file's name or a type in its answer. */
import { decodeOrKeep } from "../../core/extension.ts";
import { known } from "../shared/record.ts";
import { kindOf, mediaType } from "../shared/video-kind.ts";
import { humanName } from "../shared/video-name.ts";
import { originOf } from "../shared/web-address.ts";
import type { Findings } from "./found.ts";
import type { FoundVideo, UnnamedLink } from "./page-video.ts";

/** Milliseconds until a server that doesn't answer is left alone. */
const REQUEST_TIMEOUT = 5000;
const MAX_NAME = 500;

/**
 * @param pageOrigin the only origin that is asked: the click on the toolbar button lets us read there
 * @returns the videos, as findings of the frames that they were found in
 */
export async function namedByServer(
  links: { link: UnnamedLink; frame: Findings }[],
  pageOrigin: string,
): Promise<Findings[]> {
  const own = links.filter(({ link }) => originOf(link.address) === pageOrigin);
  const found = await Promise.all(
    own.map(async ({ link, frame }) => {
      const video = await askFor(link);
      return video === undefined ? [] : [{ ...frame, closedOrigins: [], apart: false, videos: [video] }];
    }),
  );
  return found.flat();
}

async function askFor({ address, ...names }: UnnamedLink): Promise<FoundVideo | undefined> {
  try {
    const { ok, headers } = await fetch(address, {
      method: "HEAD",
      credentials: "include",
      signal: AbortSignal.timeout(REQUEST_TIMEOUT),
    });
    return ok ? videoAt(address, names, headers) : undefined;
  } catch {
    // The link leads elsewhere, or nowhere.
    return undefined;
  }
}

/** What a server's answer says of a link; `undefined` where it is no video. */
export function videoAt(
  address: string,
  names: Omit<UnnamedLink, "address">,
  headers: Headers,
): FoundVideo | undefined {
  const file = fileNameIn(headers.get("content-disposition") ?? "");
  const type = mediaType(headers.get("content-type"));
  const isVideo = type?.startsWith("video/") === true;
  const hasEnding = kindOf(`https://file.invalid/${encodeURIComponent(file)}`) === "file";
  if (!isVideo && !hasEnding) return undefined;
  const size = Number(headers.get("content-length") ?? Number.NaN);
  const about = known({
    title: humanName(file) || names.title,
    type: isVideo ? type : undefined,
    size: size > 0 ? size : undefined,
  });
  return { kind: "file", address, aliases: [], isLink: true, ...names, ...about };
}

/** The name in `attachment; filename="tour.mp4"`, or in its form for other than English letters. */
function fileNameIn(disposition: string): string {
  const given = disposition.slice(0, MAX_NAME);
  const encoded = /filename\*\s*=\s*[\w-]*'[\w-]*'([^;\s]+)/i.exec(given)?.[1];
  if (encoded !== undefined) return decodeOrKeep(encoded);
  const plain = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(given);
  return plain?.[1] ?? plain?.[2] ?? "";
}
