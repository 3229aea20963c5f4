/** The command `upload`: everything that was named, a few at a time, each with its outcome. */
import type { Client } from "../client.ts";
import { type UploadAllProgress, uploadAll } from "../mod.ts";
import { secretsOf } from "../requester.ts";
import type { Asset } from "../service/asset.ts";
import { type Answered, answeredBefore } from "./answered.ts";
import type { Arguments } from "./arguments.ts";
import { checkWith } from "./check-account.ts";
import { bytes } from "./format.ts";
import { failureOf, openScreen, type Screen } from "./screen.ts";
import { factsOf, type NamedVideo } from "./sources.ts";
import { waitUntilReady } from "./status.ts";
import { exitCodeOf, STOPS_ALL, Stopped } from "./stop.ts";
import { outcomeOf, Tally } from "./tally.ts";
import { itemMaker, itemsOf, type NamedItem, type NamedUpload, type Work } from "./upload-items.ts";
import { NONE_FOUND, rulesOf, videosOf } from "./videos.ts";

/** Uploads, and returns the exit code. */
export async function runUpload(account: Client, given: Arguments, signal: AbortSignal): Promise<number> {
  const screen = openScreen(given, () => secretsOf(account));
  let tally = new Tally();
  try {
    const videos = videosOf(given.operands, rulesOf(given, account.fetch, signal));
    if (await hasFolder(given.operands)) await checkWith(account, signal);
    const counted = given.operands.includes("-") ? undefined : await countAhead(videos, screen, signal);
    tally = new Tally(counted);
    const waiting: Promise<boolean>[] = [];
    const wait = (upload: NamedUpload, asset: Asset) => {
      const isReady = waitUntilReady(account, { upload, asset }, screen, signal);
      // It is looked at when all are uploaded.
      isReady.catch(() => {});
      waiting.push(isReady);
    };
    await uploadEach(account, given, signal, {
      ...{ screen, tally, videos: counted ?? videos },
      onUploaded: given.wait ? wait : () => {},
    });
    const code = end(given, screen, tally);
    const ready = await Promise.all(waiting);
    return ready.includes(false) ? 1 : code;
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    if (error.by === "SIGINT" || error.by === "SIGTERM") sayPaused(given, screen, tally);
    return exitCodeOf(error);
  } finally {
    screen.close();
  }
}

/** A folder may hold thousands of videos, none of which would be uploaded with a wrong address or token. */
async function hasFolder(operands: string[]): Promise<boolean> {
  const facts = await Promise.all(operands.map((operand) => factsOf(operand)));
  return facts.some((each) => each?.isDirectory());
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
  const { total } = new Tally(counted);
  const { length: count } = counted;
  const amount = total === undefined ? "" : `, ${bytes(total)}`;
  if (count > 1) screen.say("found", `${count} videos${amount}`, { videos: count, bytes: total });
  return counted;
}

function end({ new: isNew, operands, stdinName, json }: Arguments, screen: Screen, tally: Tally): number {
  const { uploaded, alreadyThere, failed, ended } = tally;
  if (ended === 0) screen.warn("empty", NONE_FOUND);
  const advice = alreadyThere > 0 && failed === 0 && !isNew ? ". --new uploads those again" : "";
  const isList = operands.includes("-") && stdinName === undefined;
  const isMany = ended > 1 || alreadyThere > 0 || isList;
  if (isMany) {
    screen.say("summary", `${outcomeOf(tally)}${advice}`, { uploaded, alreadyThere, failed });
    if (!json) nameFailed(screen, tally);
  }
  return failed > 0 || ended === 0 ? 1 : 0;
}

/** Those that failed are named once more, since many lines may have come after theirs. */
function nameFailed(screen: Screen, { failed, failures }: Tally): void {
  for (const line of failures) screen.say("failed", `  ${line}`);
  if (failed > failures.length) screen.say("failed", `  and ${failed - failures.length} more`);
}

function sayPaused({ new: isNew, stdinName, json }: Arguments, screen: Screen, tally: Tally): void {
  const count = tally.ended > 0 ? ` with ${outcomeOf(tally)}` : "";
  const again = isNew ? "the same command without --new" : "the same command again";
  const kept = `Paused${count}. What was sent is kept: run ${again} to resume`;
  const lost = "Stopped. A video on the standard input can't be resumed";
  screen.say("paused", stdinName === undefined ? kept : lost);
  if (!json) nameFailed(screen, tally);
}

interface UploadWork extends Work {
  /** Called with each asset that has all its bytes. */
  onUploaded(upload: NamedUpload, asset: Asset): void;
}

async function uploadEach(
  client: Client,
  given: Arguments,
  stop: AbortSignal,
  work: UploadWork,
): Promise<void> {
  const itemOf = itemMaker(given, work);
  const answered = { ...answeredBefore(stop, client), stop };
  let doubts = await uploadItems(answered, given, work, itemsOf(itemOf, work));
  while (doubts.length > 0) doubts = await uploadItems(answered, given, work, doubts.map(itemOf));
}

/** Uploads items, and gives those of which an earlier command may have made an asset: they are uploaded once that is told. */
async function uploadItems(
  { account, signal, stop }: Answered & { stop: AbortSignal },
  given: Arguments,
  { screen, tally, onUploaded }: UploadWork,
  items: Iterable<NamedItem> | AsyncIterable<NamedItem>,
): Promise<NamedUpload[]> {
  const doubts: NamedUpload[] = [];
  let latest: UploadAllProgress | undefined;
  const showTotal = (progress = latest) => {
    latest = progress;
    if (progress !== undefined) screen.total(tally.with(progress));
  };
  const outcomes = uploadAll(account, items, {
    concurrency: given.atATime,
    method: given.method,
    resume: !given.new,
    once: true,
    verify: given.verify,
    signal,
    ...(given.bandwidth !== undefined && { bandwidth: given.bandwidth }),
    onProgress: showTotal,
  });
  for await (const { source, result, error } of outcomes) {
    const { data } = source;
    // An asset that is not asked for any more is no failure.
    if (error !== undefined && stop.aborted) continue;
    if (error?.code === "asset-unknown" && !data.hasAsked) {
      // A journal that can't be written would tell the same again.
      data.hasAsked = true;
      screen.say("asset-unknown", doubtOf(data));
      tally.pause(data);
      doubts.push(data);
    } else if (result?.uploadedBefore) {
      tally.end(data, "alreadyThere");
      screen.alreadyThere(data, result);
      onUploaded(data, result.asset);
    } else if (result !== undefined) {
      tally.end(data, "uploaded");
      screen.uploaded(data, result);
      onUploaded(data, result.asset);
    } else {
      tally.fail(data, failureOf(data.label, error.message));
      screen.failed(data, error);
      if (STOPS_ALL.has(error.code)) {
        const words = "The other videos would fail for the same reason, so they were not started";
        if (tally.ended !== tally.videos) screen.warn("ended", words);
        return [];
      }
    }
    showTotal();
  }
  return doubts;
}

/** An earlier command was killed while it asked; this one begins anew, and says so. */
function doubtOf({ label }: NamedUpload): string {
  return `An earlier command ended while it asked for an asset of ${label}: the account may have an empty one`;
}
