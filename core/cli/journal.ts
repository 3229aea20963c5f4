/** The journal of the command line, in the folder that was given or in one of the person's own. */
import { resolve } from "node:path";
import { fileJournal } from "../disk/journal.ts";
import { variable } from "../disk/system.ts";
import { isUpcutError, UploadError } from "../errors/errors.ts";
import { codeOf } from "../errors/unexpected-failure.ts";
import type { Journal } from "../journal/journal.ts";
import type { Arguments } from "./arguments.ts";
import { jsonLine, plain } from "./format.ts";
import { print, printNote } from "./output.ts";
import { usualJournal } from "./own-folder.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Finished uploads are remembered for good, unless the person says for how many days.
 *
 * @throws {UsageError} where no folder for it is known.
 */
export function openJournal(given: Arguments): Required<Journal> {
  const { rememberFor: days = Number.POSITIVE_INFINITY, json, quiet } = given;
  const folder = journalFolder(given);
  const journal = fileJournal(folder, {
    keepDoneFor: days * DAY,
    onForget(uploads) {
      for (const { name = "a video", assetId } of uploads) {
        const asset = assetId === undefined ? "" : ` Its asset ${assetId} stays in the account`;
        const message = `Forgot the unfinished upload of ${name}, which nobody resumed in time.${asset}`;
        if (json) print(jsonLine({ event: "forgotten", name, assetId, message }));
        else if (!quiet) printNote(`${plain(message)}\n`);
      }
    },
  });
  const refuse = (error: unknown) => refuseFolder(folder, error);
  const methods = Object.entries(journal).map(([name, method]) => [
    name,
    async (...given: never[]) =>
      await (method as (...given: never[]) => Promise<unknown>)(...given).catch(refuse),
  ]);
  return { ...journal, ...Object.fromEntries(methods) };
}

/** Names the folder, which the person may never have chosen, and the way out where another folder helps. */
function refuseFolder(folder: string, error: unknown): never {
  const isOwn = isUpcutError(error);
  const message = isOwn
    ? error.message.replace(" the journal:", ` the journal in ${folder}:`)
    : `Cannot use the journal in ${folder}: ${codeOf(error) ?? "unknown reason"}`;
  const more = { retryable: isOwn ? error.retryable : true, cause: error };
  const helps = !isOwn || message.startsWith("Cannot use");
  throw new UploadError("journal-failed", helps ? `${message}. ${OTHER_FOLDER}` : message, more);
}

const OTHER_FOLDER = "Give another folder by --journal, or set UPCUT_JOURNAL";

/** @throws {UsageError} where none is known. */
export function journalFolder({ journal }: Arguments): string {
  const folder = (journal ?? variable("UPCUT_JOURNAL")) || usualJournal();
  if (folder) return resolve(folder);
  throw new UsageError("the folder of the journal is not known: give --journal, or set UPCUT_JOURNAL");
}

const DAY = 24 * 60 * 60 * 1000;
