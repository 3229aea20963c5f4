/** The journal of the command line, in the folder that was given or in one of the person's own. */
import { join } from "node:path";
import { fileJournal } from "../disk/journal.ts";
import { homeFolder, variable } from "../disk/system.ts";
import type { Journal } from "../journal/journal.ts";
import type { Arguments } from "./arguments.ts";
import { UsageError } from "./usage-error.ts";

/** @throws {UsageError} where no folder for it is known. */
export function openJournal({ journal }: Arguments): Required<Journal> {
  const home = homeFolder();
  const folder = (journal ?? variable("UPCUT_JOURNAL")) || (home && join(home, ".upcut"));
  if (folder) return fileJournal(folder);
  throw new UsageError("the folder of the journal is not known: give --journal, or set UPCUT_JOURNAL");
}
