/**
 * The command `upload`: everything that was named, a few at a time, each with its outcome.
 *
 * @module
 */

import { join } from "node:path";
import { fileJournal } from "../disk/journal.ts";
import type { ErrorCode } from "../errors.ts";
import type { HlsLanguage } from "../hls/languages.ts";
import type { HlsLeftOut } from "../hls/options.ts";
import { runtimeFetch } from "../http/fetch.ts";
import { describeValue } from "../redaction/redaction.ts";
import { accountOf, type Requester, scopeOf, secretsOf } from "../requester.ts";
import { openSource } from "../source/open.ts";
import { type UploadItem, uploadAll } from "../upload-all.ts";
import type { Arguments } from "./arguments.ts";
import { openScreen, type Screen, type ShownUpload } from "./screen.ts";
import { videosOf } from "./sources.ts";
import { exitCodeOf, Stopped } from "./stop.ts";
import { type KnownVideo, type Noting, UploadedVideos } from "./uploaded.ts";

/** Errors after which every other source would fail as well. */
const STOPS_ALL: ReadonlySet<ErrorCode> = new Set([
  "unauthorized",
  "forbidden",
  "origin-refused",
  "wrong-address",
  "redirected",
]);

/** Uploads, and returns the exit code. */
export async function runUpload(account: Requester, given: Arguments, signal: AbortSignal): Promise<number> {
  const screen = openScreen(given.json, () => secretsOf(account));
  try {
    const { uploaded, failed, leftOut } = await uploadEach(account, given, signal, screen);
    if (leftOut > 0)
      screen.say(
        "left-out",
        given.isNew
          ? `${leftOut} ${leftOut === 1 ? "was" : "were"} named more than once and left out`
          : `${leftOut} ${leftOut === 1 ? "was" : "were"} uploaded before and left out. --new uploads them once more`,
      );
    if (uploaded + failed + leftOut === 0)
      screen.say(
        "empty",
        "No video was found. Of a folder, files are taken whose names end like a video's, such as .mp4",
      );
    return failed > 0 || uploaded + leftOut === 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    const again = given.isNew ? "the same command without --new" : "the same command again";
    screen.say("paused", `Paused. What was sent is kept: run ${again} to resume`);
    return exitCodeOf(error);
  } finally {
    screen.close();
  }
}

interface NamedUpload extends ShownUpload {
  noting: Noting;
  /** The asset that was made of it before. */
  before: string | undefined;
}

interface Count {
  uploaded: number;
  failed: number;
  /** Those that were uploaded before. */
  leftOut: number;
}

async function uploadEach(
  account: Requester,
  given: Arguments,
  signal: AbortSignal,
  screen: Screen,
): Promise<Count> {
  const count: Count = { uploaded: 0, failed: 0, leftOut: 0 };
  const outcomes = uploadAll(account, itemsOf(account, given, signal, screen), {
    concurrency: given.atATime,
    method: given.method,
    resume: !given.isNew,
    signal,
    ...(given.mp4 && { staticMp4: true }),
    ...(given.bandwidth !== undefined && { bandwidth: given.bandwidth }),
    onProgress: (progress) => screen.total(progress),
  });
  for await (const { source, result, error } of outcomes) {
    const { noting, before } = source.data;
    if (error !== undefined && before !== undefined) {
      count.leftOut++;
      screen.leftOut(source.data, before);
      continue;
    }
    if (error === undefined) {
      count.uploaded++;
      // Mostly it is noted by now.
      const sentence =
        "What was uploaded can't be noted beside the journal: the same command would upload it again";
      await noting.note(result.asset.id).catch(() => screen.say("not-noted", sentence));
      screen.uploaded(source.data, result);
      continue;
    }
    count.failed++;
    screen.failed(source.data, error);
    if (!STOPS_ALL.has(error.code)) continue;
    screen.say("ended", "The other videos would fail for the same reason, so they were not started");
    break;
  }
  return count;
}

async function* itemsOf(
  account: Requester,
  { operands, name, mp4, isNew, journal: folder, quality, language }: Arguments,
  signal: AbortSignal,
  screen: Screen,
): AsyncGenerator<UploadItem & { data: NamedUpload }, undefined> {
  const journal = fileJournal(folder);
  const videos = new UploadedVideos(join(folder, "uploads.done"));
  const terms = { account: await accountOf(await scopeOf(account)), request: [name ?? "", `${mp4}`] };
  let number = 0;
  const { fetch = runtimeFetch } = account;
  for await (const { label, open } of videosOf(operands, { quality, language, fetch, signal })) {
    /** Whether another video at its place would show. */
    let isRecognizable = true;
    const known: KnownVideo = {
      trustsNotes: () => !isNew && isRecognizable,
      onFound(asset) {
        shown.before = asset;
      },
    };
    const noting = videos.noting(journal, terms, known);
    const shown: NamedUpload = { label, number: ++number, noting, before: undefined };
    yield {
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
      onProgress(progress) {
        noting.onProgress(progress);
        screen.progress(shown, progress);
      },
    };
  }
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
