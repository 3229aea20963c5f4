/**
 * The command `upload` with `--dry-run`: what it would upload, and which of it is there already, where the account is known.
 * Files and the journal are looked at, and no server is asked.
 */
import type { Client } from "../client.ts";
import { isUpcutError } from "../errors/errors.ts";
import { runtimeFetch } from "../http/fetch.ts";
import type { DoneUpload } from "../journal/journal.ts";
import { excerpt } from "../redaction/redaction.ts";
import { secretsOf } from "../service/requester.ts";
import { openSource } from "../source/open.ts";
import type { UploadOptions } from "../upload/options.ts";
import { findUploaded } from "../upload/slot.ts";
import { openCall, requestFor } from "../upload.ts";
import { knownAccount } from "./account.ts";
import type { Arguments } from "./arguments.ts";
import { bytes, jsonLine, plain } from "./format.ts";
import { openJournal } from "./journal.ts";
import { print, printFailure, printNote, printResult } from "./output.ts";
import { fieldsOf } from "./request.ts";
import { failureOf } from "./screen.ts";
import { stopsAll } from "./stop.ts";
import { UsageError } from "./usage-error.ts";
import { type NamedVideo, noneFound, rulesOf, videosOf } from "./videos.ts";

type Count = Record<"videos" | "bytes" | "alreadyThere" | "failed", number>;

/** Without a usable account the videos can be listed all the same. */
function orNone(error: unknown): undefined {
  if (!(error instanceof UsageError)) throw error;
}

export async function runDryRun(given: Arguments, signal: AbortSignal): Promise<number> {
  const { json, quiet } = given;
  const isShown = json || !quiet;
  const account = given.new ? undefined : await knownAccount(given).catch(orNone);
  const count: Count = { videos: 0, bytes: 0, alreadyThere: 0, failed: 0 };
  const onLeftOut: Parameters<typeof rulesOf>[1] = (reason, source, message) => {
    if (json) print(jsonLine({ event: "left-out", reason, source, message }));
    else if (!quiet) printNote(`${plain(message)}\n`);
  };
  // A journal looks through its folder when it is opened.
  const usual = { method: given.method, once: true, signal, ...(account && { journal: openJournal(given) }) };
  let isSure = given.new || account !== undefined;
  for await (const video of videosOf(given.operands, rulesOf(given, onLeftOut))) {
    signal.throwIfAborted();
    const { label: source, size, isLocal } = video;
    isSure &&= given.new || isLocal;
    try {
      const before = await look(video, account, { ...usual, ...fieldsOf(given, video.names) }, signal);
      if (before === undefined) {
        count.videos++;
        count.bytes += size ?? 0;
        const sentence = `Would upload ${source}${size === undefined ? "" : ` (${bytes(size)})`}`;
        if (isShown) printResult(json, { event: "would-upload", source, size }, sentence);
      } else {
        count.alreadyThere++;
        const assetId = excerpt(before.asset.id, account && secretsOf(account));
        const sentence = `${source} is there already: asset ${assetId}`;
        if (isShown) printResult(json, { event: "already-there", source, size, assetId }, sentence);
      }
    } catch (error) {
      if (!isUpcutError(error) || stopsAll(error)) throw error;
      count.failed++;
      printFailure(json, error, `Failed ${failureOf(source, error.message)}`, { source });
    }
  }
  const found = count.videos + count.alreadyThere + count.failed > 0;
  if (json) print(jsonLine({ event: "summary", ...count }));
  else if (!found) printNote(`${noneFound(given.operands)}\n`);
  else if (!quiet)
    printNote(`${sentenceOf(count)}${isSure ? "" : ". Those that are there already will be left out"}\n`);
  return found && count.failed === 0 ? 0 : 1;
}

function sentenceOf({ videos, bytes: size, alreadyThere, failed }: Count): string {
  return [
    `${videos} ${videos === 1 ? "video" : "videos"}, ${bytes(size)}`,
    ...(alreadyThere > 0 ? [`${alreadyThere} there already`] : []),
    ...(failed > 0 ? [`${failed} would fail`] : []),
  ].join("; ");
}

/** @returns the earlier upload that would be given in place of a new one; fails where the upload would, before anything is sent */
async function look(
  { isLocal, filename, open }: NamedVideo,
  account: Client | undefined,
  options: UploadOptions,
  signal: AbortSignal,
): Promise<DoneUpload | undefined> {
  if (!isLocal) return undefined;
  const named = filename === undefined ? {} : { filename };
  const file = await open();
  const source = await openSource(file, named, { fetch: runtimeFetch, signal });
  try {
    // A stream can't be known again.
    if (account === undefined || filename !== undefined) return undefined;
    const call = openCall(account, file, options);
    call.leave();
    return await findUploaded(call, source, requestFor(source, call));
  } finally {
    await source.close();
  }
}
