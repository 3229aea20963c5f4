/** The journal of the command line, in the folder that was given or in one of the person's own. */
import { join } from "node:path";
import { fileJournal } from "../disk/journal.ts";
import { homeFolder, variable } from "../disk/system.ts";
import type { Journal } from "../journal/journal.ts";
import type { Arguments } from "./arguments.ts";
import { jsonLine, plain } from "./format.ts";
import { print, printNote } from "./output.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Finished uploads are remembered for good, unless the person says for how many days.
 *
 * @throws {UsageError} where no folder for it is known.
 */
export function openJournal(given: Arguments): Required<Journal> {
  const { rememberFor: days = Number.POSITIVE_INFINITY, json, quiet } = given;
  return fileJournal(journalFolder(given), {
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
}

/** @throws {UsageError} where none is known. */
export function journalFolder({ journal }: Arguments): string {
  const home = homeFolder();
  const folder = (journal ?? variable("UPCUT_JOURNAL")) || (home && join(home, ".upcut"));
  if (folder) return folder;
  throw new UsageError("the folder of the journal is not known: give --journal, or set UPCUT_JOURNAL");
}

const DAY = 24 * 60 * 60 * 1000;
