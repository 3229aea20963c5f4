/** The videos of a command on their way: each is opened when its turn comes. */
import { fileJournal } from "../disk/journal.ts";
import type { HlsVideo } from "../hls/options.ts";
import type { UploadItem } from "../mod.ts";
import { describeValue } from "../redaction/redaction.ts";
import { filledFields } from "../service/request-fields.ts";
import type { Arguments } from "./arguments.ts";
import type { Screen, ShownUpload } from "./screen.ts";
import type { NamedVideo } from "./sources.ts";
import type { Tally } from "./tally.ts";

/** A video under way. */
export interface NamedUpload extends ShownUpload {
  video: NamedVideo;
  size: number | undefined;
  /** True once this command has asked for an asset of it, or told that an earlier one did. */
  hasAsked: boolean;
}

/** The parts of a command that work together. */
export interface Work {
  screen: Screen;
  tally: Tally;
  videos: Iterable<NamedVideo> | AsyncIterable<NamedVideo>;
}

/** A video as `uploadAll()` takes it. */
export type NamedItem = UploadItem & { data: NamedUpload };

/** The videos of a command, as items. */
export async function* itemsOf(
  itemOf: (upload: NamedUpload) => NamedItem,
  { tally, videos }: Work,
): AsyncGenerator<NamedItem, undefined> {
  let number = 0;
  for await (const video of videos) {
    const { label, size } = video;
    yield itemOf({ video, label, size, number: ++number, hasAsked: false });
  }
  tally.videos = number;
}

/** Makes the function that turns an upload into an item. */
export function itemMaker(given: Arguments, { screen, tally }: Work): (upload: NamedUpload) => NamedItem {
  const journal = fileJournal(given.journal);
  const fields = filledFields(given);
  return (upload) => {
    const { label, filename, open } = upload.video;
    return {
      source: () => open((leftOut) => screen.say("tracks-left-out", leftOutSentence(label, leftOut))),
      data: upload,
      journal,
      ...fields,
      // Only the standard input is called so: a stream can't be known again.
      ...(filename !== undefined && { filename, once: false }),
      onProgress(progress) {
        if (progress.state === "requesting") upload.hasAsked = true;
        tally.update(upload, progress);
        screen.progress(upload, progress);
      },
    };
  };
}

/** A playlist may name anything. */
function leftOutSentence(
  label: string,
  { languages, subtitles }: Pick<HlsVideo, "languages" | "subtitles">,
): string {
  const idsOf = (list: HlsVideo["languages"]) => list.map(({ id }) => describeValue(id)).join(", ");
  const parts = [
    ...(languages.length > 0 ? [`the sound in ${idsOf(languages)} (--language chooses another)`] : []),
    ...(subtitles.length > 0 ? [`the subtitles in ${idsOf(subtitles)}`] : []),
  ];
  return `Left out of ${label}: ${parts.join(", and ")}`;
}
