/** What the videos of a page are called, each differently. Pure. */

import { t } from "../shared/translate.ts";
import { cleanName, humanName } from "../shared/video-name.ts";
import { fileNameOf } from "../shared/web-address.ts";
import type { FoundVideo } from "./page-video.ts";
import { videoKind } from "./video-kind.ts";

type Named = Pick<FoundVideo, "kind" | "address" | "title" | "near">;

/**
 * Its own name first, then what tells it apart from others.
 *
 * @param page what the page is called, or the frame that it is in
 * @param isOnly whether it is the only video of the page: then it is what the page is about
 */
export function titleOf({ address, title, near, ...video }: Named, page: string, isOnly: boolean): string {
  const { isWhole, isInPage } = videoKind(video);
  const file = isWhole && !isInPage ? humanName(fileNameOf(address)) : "";
  const around = cleanName(near) || page;
  const names = isOnly ? [around, file] : [file, around];
  return [cleanName(title), ...names].find((name) => name !== "") ?? t("found.video");
}

/** Numbers those that would be called the same, from the second on. */
export function createNumbering(): (title: string) => string {
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  return (title) => {
    let count = counts.get(title) ?? 1;
    let numbered = title;
    while (taken.has(numbered)) numbered = `${title} (${++count})`;
    counts.set(title, count);
    taken.add(numbered);
    return numbered;
  };
}
