/**
 * The videos of a command on their way: each is opened when its turn comes, and noted when it is whole.
 *
 * @module
 */

import { join } from "node:path";
import { fileJournal } from "../disk/journal.ts";
import type { HlsLanguage } from "../hls/languages.ts";
import type { HlsLeftOut } from "../hls/options.ts";
import { runtimeFetch } from "../http/fetch.ts";
import { describeValue } from "../redaction/redaction.ts";
import { accountOf, type Requester, scopeOf } from "../requester.ts";
import { openSource } from "../source/open.ts";
import type { UploadItem } from "../upload-all.ts";
import type { Arguments } from "./arguments.ts";
import type { Later } from "./later.ts";
import type { Screen, ShownUpload } from "./screen.ts";
import type { NamedVideo } from "./sources.ts";
import type { Tally } from "./tally.ts";
import { type KnownVideo, type Noting, UploadedVideos } from "./uploaded.ts";

/** A video under way. */
export interface NamedUpload extends ShownUpload {
  video: NamedVideo;
  size: number | undefined;
  noting: Noting;
  /** The asset that was made of it before. */
  before: string | undefined;
  /** True once this command has asked for an asset of it. */
  hasAsked: boolean;
  /** True while another command is uploading it. */
  isElsewhere: boolean;
}

/** The parts of a command that work together. */
export interface Work {
  screen: Screen;
  tally: Tally;
  later: Later<NamedUpload>;
  videos: Iterable<NamedVideo> | AsyncIterable<NamedVideo>;
}

/** The videos as `uploadAll()` takes them; those that another command is uploading come again. */
export async function* itemsOf(
  account: Requester,
  given: Arguments,
  signal: AbortSignal,
  { screen, tally, videos, later }: Work,
): AsyncGenerator<UploadItem & { data: NamedUpload }, undefined> {
  const itemOf = await itemMaker(account, given, signal, { screen, tally });
  let number = 0;
  for await (const video of videos) {
    later.begin();
    yield itemOf(video, ++number);
  }
  tally.videos = number;
  let isTold = false;
  for (;;) {
    const again = await later.next(signal);
    if (again === undefined) return undefined;
    if (again.isElsewhere && !isTold) {
      screen.say("waiting", `Waiting for another command that uploads ${again.label}`);
      isTold = true;
    }
    later.begin();
    yield itemOf(again.video, again.number);
  }
}

const UNTRIED = { hasAsked: false, isElsewhere: false };

type ItemMaker = (video: NamedVideo, number: number) => UploadItem & { data: NamedUpload };

/** Makes items of videos, each of which is noted when it is whole. */
async function itemMaker(
  account: Requester,
  { name, mp4, new: isNew, journal: folder }: Arguments,
  signal: AbortSignal,
  { screen, tally }: Pick<Work, "screen" | "tally">,
): Promise<ItemMaker> {
  const journal = fileJournal(folder);
  const uploads = new UploadedVideos(join(folder, "uploads.done"));
  const terms = { account: await accountOf(await scopeOf(account)), request: [name ?? "", `${mp4}`] };
  const { fetch = runtimeFetch } = account;
  return (video, number) => {
    const { label, size, filename, open } = video;
    /** Whether another video at its place would show. */
    let isRecognizable = true;
    const known: KnownVideo = {
      trustsNotes: () => !isNew && isRecognizable,
      onFound(asset) {
        shown.before = asset;
      },
    };
    const noting = uploads.noting(journal, terms, known);
    const shown: NamedUpload = { video, label, size, number, noting, before: undefined, ...UNTRIED };
    return {
      async source() {
        const source = await open((leftOut) =>
          screen.say("tracks-left-out", leftOutSentence(label, leftOut)),
        );
        if (!(source instanceof URL)) return source;
        const opened = await openSource(source, {}, { fetch, signal });
        isRecognizable = opened.size !== undefined || opened.namesVersion === true;
        return opened;
      },
      data: shown,
      journal: noting.journal,
      ...(name !== undefined && { name }),
      ...(filename !== undefined && { filename }),
      onProgress(progress) {
        noting.onProgress(progress);
        if (progress.state === "requesting") shown.hasAsked = true;
        tally.update(shown, progress);
        screen.progress(shown, progress);
      },
    };
  };
}

/** A playlist may name anything. */
function leftOutSentence(label: string, { languages, subtitles }: HlsLeftOut): string {
  const idsOf = (list: readonly HlsLanguage[]) => list.map(({ id }) => describeValue(id)).join(", ");
  const parts = [
    ...(languages.length > 0 ? [`the sound in ${idsOf(languages)} (--language chooses another)`] : []),
    ...(subtitles.length > 0 ? [`the subtitles in ${idsOf(subtitles)}`] : []),
  ];
  return `Left out of ${label}: ${parts.join(", and ")}`;
}
