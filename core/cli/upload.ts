/** The command `upload`: everything that was named, a few at a time, each with its outcome. */
import type { Client } from "../client.ts";
import { isUpcutError } from "../errors/errors.ts";
import type { HlsOptions, HlsVideo } from "../hls/options.ts";
import { type UploadAllOptions, type UploadItem, uploadAll } from "../mod.ts";
import type { Progress } from "../progress/progress.ts";
import { describeValue } from "../redaction/redaction.ts";
import type { Asset } from "../service/asset.ts";
import { secretsOf } from "../service/requester.ts";
import { joinSignals } from "../time/abort.ts";
import { dateNow, steadyNow } from "../time/clock.ts";
import type { RetryDecision } from "../transfer/request.ts";
import type { UploadResult } from "../upload.ts";
import type { Arguments } from "./arguments.ts";
import { bytes } from "./format.ts";
import { journalFolder, openJournal } from "./journal.ts";
import { fieldsOf } from "./request.ts";
import { failureOf, openScreen, type Screen } from "./screen.ts";
import { waitUntilReady } from "./status.ts";
import { answeredBefore, exitCodeOf, isOfFullDisk, Stopped, stopsAll } from "./stop.ts";
import { outcomeOf, Tally } from "./tally.ts";
import type { ShownUpload } from "./terminal.ts";
import type { Verbose } from "./verbose.ts";
import { type NamedVideo, noneFound, rulesOf, videosOf } from "./videos.ts";

interface Work {
  given: Arguments;
  screen: Screen;
  tally: Tally;
  videos: Iterable<NamedVideo> | AsyncIterable<NamedVideo>;
  stopper: AbortController;
  hooks: Verbose | undefined;
  /** Called with each asset that has all its bytes. */
  onUploaded(upload: NamedUpload, asset: Asset): void;
}

interface NamedUpload extends ShownUpload {
  video: NamedVideo;
  /** True once it was taken from the list: it is taken again after another upload of it, or a doubt. */
  isTaken: boolean;
  /** True once this command has asked for an asset of it, or told that an earlier one did. */
  hasAsked: boolean;
  /** True while it has an asset, and its outcome isn't known. */
  isUnderWay: boolean;
}

type NamedItem = UploadItem & { data: NamedUpload };

export async function runUpload(
  account: Client,
  given: Arguments,
  stopper: AbortController,
  hooks?: Verbose,
): Promise<number> {
  const { signal } = stopper;
  const screen = openScreen(given, () => secretsOf(account));
  if (hooks !== undefined) hooks.say = screen.say;
  let tally = new Tally(screen.total);
  try {
    let leftOut = 0;
    const onLeftOut: Parameters<typeof rulesOf>[1] = (reason, source, sentence) => {
      tally.leftOut = ++leftOut;
      screen.say("left-out", sentence, { reason, source });
    };
    const videos = videosOf(given.operands, rulesOf(given, onLeftOut, account, signal));
    const counted = given.operands.includes("-") ? undefined : await countAhead(videos, screen, signal);
    if (counted !== undefined) tally = new Tally(screen.total, counted);
    tally.leftOut = leftOut;
    const waiting: Promise<boolean>[] = [];
    const onUploaded: Work["onUploaded"] = (upload, asset) => {
      if (!given.wait) return;
      const isReady = waitUntilReady(account, upload, asset, screen, signal);
      // The promise is looked at when all are uploaded.
      isReady.catch(() => {});
      waiting.push(isReady);
    };
    const work = { given, screen, tally, videos: counted ?? videos, onUploaded, stopper, hooks };
    await uploadEach(account, work, signal);
    const code = end(given, screen, tally);
    const ready = await Promise.all(waiting);
    return ready.includes(false) ? 1 : code;
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    if (error.isPause) sayPaused(given, screen, tally, error);
    return exitCodeOf(error);
  } finally {
    screen.close();
  }
}

async function countAhead(
  videos: AsyncIterable<NamedVideo>,
  screen: Screen,
  signal: AbortSignal,
): Promise<NamedVideo[]> {
  const counted: NamedVideo[] = [];
  for await (const video of videos) {
    signal.throwIfAborted();
    counted.push(video);
  }
  const sum = counted.reduce((sum, { size = Number.NaN }) => sum + size, 0);
  const total = Number.isNaN(sum) ? undefined : sum;
  const { length: count } = counted;
  const amount = total === undefined ? "" : `, ${bytes(total)}`;
  if (count > 1) screen.say("found", `${count} videos${amount}`, { videos: count, bytes: total });
  return counted;
}

async function uploadEach(client: Client, work: Work, stop: AbortSignal): Promise<void> {
  const { given, screen, tally, onUploaded } = work;
  const { account, signal: answered } = answeredBefore(stop, client);
  const { signal, abort, leave } = joinSignals(answered);
  const itemOf = itemMaker(work);
  const options: UploadAllOptions = {
    concurrency: given.atATime,
    method: given.method,
    resume: !given.new,
    once: true,
    verify: given.verify || given.move,
    signal,
    ...(work.hooks !== undefined && { onResponse: work.hooks.onResponse }),
    ...(given.maxWait !== undefined && {
      retry: { shouldRetry: waitFor(given.maxWait) },
    }),
    ...(given.bandwidth !== undefined && { bandwidth: given.bandwidth }),
    onProgress({ speed }) {
      tally.speed = speed;
    },
  };
  let items: Iterable<NamedItem> | AsyncIterable<NamedItem> = itemsOf(work, itemOf);
  /** Videos of which an earlier command may have made an asset: they are uploaded once that is told. */
  let doubts: NamedUpload[];
  try {
    do {
      doubts = [];
      for await (const { source, result, error } of uploadAll(account, items, options)) {
        const { data } = source;
        if (data.isUnderWay) tally.underWay--;
        data.isUnderWay = false;
        // An asset that is not asked for any more is no failure, and one reason is told once.
        if (error !== undefined && (stop.aborted || (signal.aborted && stopsAll(error)))) continue;
        if (error?.code === "asset-unknown" && !data.hasAsked) {
          // A journal that can't be written would tell the same again.
          data.hasAsked = true;
          // An earlier command was killed while it asked; this one begins anew, and says so.
          const state = `asked for an asset of ${data.label}: the account may have an empty one`;
          screen.say("asset-unknown", `An earlier command ended while it ${state}`);
          tally.postpone(data.number);
          doubts.push(data);
        } else if (result !== undefined) {
          const how = result.uploadedBefore ? "alreadyThere" : "uploaded";
          screen[how](data, result);
          tally.end(data.number, how);
          if (given.move) await deleteProved(work, data, result);
          onUploaded(data, result.asset);
        } else {
          screen.failed(data, error);
          tally.fail(data.number, failureOf(data.label, error.message));
          if (isOfFullDisk(error)) {
            const words = `The disk of the journal takes nothing more (${journalFolder(given)})`;
            screen.warn("disk-full", `${words}. Make room there, or give --journal another folder`);
          }
          // Uploads that have ended by now are still told.
          if (stopsAll(error)) abort(error);
        }
      }
      items = doubts.map(itemOf);
    } while (doubts.length > 0);
  } catch (error) {
    if (stop.aborted || !isUpcutError(error) || error !== signal.reason) throw error;
    sayStopped(screen, tally);
  } finally {
    leave();
  }
}

/** Deletes a file that the service has stored as it is here, by its hash, and keeps any other. */
async function deleteProved(
  { screen, tally }: Work,
  { video, label, number }: NamedUpload,
  result: UploadResult,
) {
  if (video.remove === undefined) return;
  const facts = { source: label, number };
  const isProved = typeof result.verified === "string" && result.verified !== "size";
  const state = isProved ? await video.remove() : "no hash has proved what is stored";
  if (state === undefined) return screen.say("deleted", `Deleted ${label}`, facts);
  tally.kept++;
  screen.warn("not-deleted", `Not deleted ${label}: ${state}`, facts);
}

/** Tells of the videos that would fail for a reason that was told. */
function sayStopped(screen: Screen, { underWay: stopped, sources, ended }: Tally): void {
  const notStarted = sources === undefined ? undefined : sources - ended - stopped;
  if (stopped === 0 && notStarted === 0) return;
  const parts = [
    ...(notStarted === 0 ? [] : [`${notStarted ?? "those behind them"} were not started`]),
    ...(stopped === 0 ? [] : [`${stopped} under way were stopped: the same command resumes them`]),
  ];
  const words = `The other videos would fail for the same reason, so ${parts.join(", and ")}`;
  screen.warn("ended", words, { stopped, notStarted });
}

async function* itemsOf(
  { tally, videos }: Work,
  itemOf: (upload: NamedUpload) => NamedItem,
): AsyncGenerator<NamedItem, undefined> {
  let number = 0;
  for await (const video of videos) {
    yield itemOf({
      video,
      label: video.label,
      number: ++number,
      isTaken: false,
      hasAsked: false,
      isUnderWay: false,
    });
  }
  tally.sources = number;
  tally.emit();
}

/** Waits for a host that asks for more than it would be given by itself. */
function waitFor(longest: number): RetryDecision {
  return ({ reason, retryAfter }) =>
    (reason !== "refused" && retryAfter !== undefined && retryAfter <= longest) || undefined;
}

/** Pauses the work where a service goes on saying for longer than `limit` that there are too many requests. */
function limitedWait(limit: number, stopper: AbortController) {
  let since: number | undefined;
  let furthest = 0;
  return ({ waiting, acknowledged }: Progress) => {
    if (acknowledged > furthest) since = undefined;
    furthest = Math.max(furthest, acknowledged);
    if (waiting?.reason !== "rate-limited") return;
    since ??= steadyNow();
    const left = Math.max(0, (waiting.until ?? 0) - dateNow());
    if (steadyNow() - since + left > limit) stopper.abort(new Stopped("max-wait"));
  };
}

function itemMaker({ given, screen, tally, stopper }: Work): (upload: NamedUpload) => NamedItem {
  const journal = openJournal(given);
  return (upload) => {
    const { label, filename, names, open } = upload.video;
    const checkWait = given.maxWait === undefined ? undefined : limitedWait(given.maxWait, stopper);
    return {
      source() {
        tally.start(upload.number, upload.isTaken);
        upload.isTaken = true;
        return open((leftOut) => screen.say("tracks-left-out", leftOutSentence(label, leftOut)));
      },
      data: upload,
      journal,
      ...fieldsOf(given, names),
      // A stream can't be known again.
      ...(filename !== undefined && { filename, once: false }),
      onProgress(progress) {
        if (progress.state === "requesting") upload.hasAsked = true;
        if (progress.asset !== undefined && !upload.isUnderWay) {
          upload.isUnderWay = true;
          tally.underWay++;
        }
        checkWait?.(progress);
        tally.update(upload.number, progress);
        screen.progress(upload, progress);
      },
    };
  };
}

type LeftOut = Parameters<NonNullable<HlsOptions["onLeftOut"]>>[0];

/** A playlist may name anything. */
function leftOutSentence(label: string, { languages, subtitles, seconds }: LeftOut): string {
  const idsOf = (list: HlsVideo["languages"]) => list.map(({ id }) => describeValue(id)).join(", ");
  const parts = [
    ...(languages.length > 0 ? [`the sound in ${idsOf(languages)} (--language chooses another)`] : []),
    ...(subtitles.length > 0 ? [`the subtitles in ${idsOf(subtitles)}`] : []),
    ...(seconds > 0
      ? [`${Math.max(0.1, Math.round(10 * seconds) / 10)} sec that its playlist names and its pieces lack`]
      : []),
  ];
  return `Left out of ${label}: ${parts.join(", and ")}`;
}

function end({ new: isNew, operands, stdinName, json }: Arguments, screen: Screen, tally: Tally): number {
  const { uploaded, alreadyThere, failed, ended, leftOut } = tally;
  if (ended === 0) screen.warn("empty", noneFound(operands));
  const advice = alreadyThere > 0 && failed === 0 && !isNew ? ". --new uploads those again" : "";
  const isList = operands.includes("-") && stdinName === undefined;
  if (ended > 1 || alreadyThere > 0 || isList) {
    const of = tally.sources === ended ? undefined : tally.sources;
    const others = leftOut > 0 ? `, ${leftOut} left out` : "";
    screen.say("summary", `${outcomeOf(tally, of)}${others}${advice}`, {
      uploaded,
      alreadyThere,
      failed,
      leftOut,
    });
    if (!json) nameFailed(screen, tally);
  }
  return failed > 0 || tally.kept > 0 || ended === 0 ? 1 : 0;
}

/** Names the videos that failed once more, since many lines may have come after theirs. */
function nameFailed(screen: Screen, { failed, failures }: Tally): void {
  for (const line of failures) screen.say("failed", `  ${line}`);
  if (failed > failures.length) screen.say("failed", `  and ${failed - failures.length} more`);
}

function sayPaused(
  { new: isNew, stdinName, json }: Arguments,
  screen: Screen,
  tally: Tally,
  { by }: Stopped,
): void {
  const limit = by.startsWith("max-") ? `, as --${by} says` : "";
  const count = `${limit}${tally.ended > 0 ? ` with ${outcomeOf(tally)}` : ""}`;
  const again = isNew ? "the same command without --new" : "the same command again";
  const kept = `Paused${count}. What was sent is kept: run ${again} to resume`;
  const lost = "Stopped. A video on the standard input can't be resumed";
  screen.say("paused", stdinName === undefined ? kept : lost);
  if (!json) nameFailed(screen, tally);
}
