/** Hands files over to the uploads, and says what became of what was handed over. */
import { signal } from "@preact/signals";
import { checkFiles, type Dropped } from "../shared/chosen-files.ts";
import { formatDuration } from "../shared/format.ts";
import type { OffscreenEvent } from "../shared/messages.ts";
import { joinSentences, plural, t } from "../shared/translate.ts";
import { nameBatch } from "./dialogs.ts";
import { send } from "./offscreen-connection.ts";
import { say } from "./toast.tsx";

/** Milliseconds in which the uploads confirm that they have the files. */
const HANDOVER_TIMEOUT = 5000;

export const handOverTrouble = signal("");
export const chooseProblem = signal("");

/** Batches that the uploads have not confirmed. */
const pending = new Set<string>();

/** Synchronous: after a real file dialog the popup lives no longer than the handler that calls this. */
export function handOverFiles(dropped: Dropped): void {
  const { good, problem } = checkFiles(dropped);
  if (good.length > 0) send({ type: "files", batch: expectTaken(), files: good });
  if (good.length > 0 || problem !== "") chooseProblem.value = problem;
}

/** Names a batch that is about to be handed over, and says so if nobody takes it. */
export function expectTaken(): string {
  const batch = nameBatch();
  pending.add(batch);
  setTimeout(() => {
    if (pending.has(batch)) handOverTrouble.value = t("popup.notAdded");
  }, HANDOVER_TIMEOUT);
  return batch;
}

export function noteHandedOver(taken: Extract<OffscreenEvent, { type: "taken" }>): void {
  if (!pending.delete(taken.batch)) return;
  say(takenSentence(taken));
  if (taken.leftOut !== undefined) chooseProblem.value = plural("popup.leftOut", taken.leftOut);
}

/** How many were taken, or waited for it, and when the new ones start. The seconds until then are told once. */
function takenSentence({
  jobIds,
  startsAt,
  resumed = 0,
}: Extract<OffscreenEvent, { type: "taken" }>): string {
  const count = jobIds.length - resumed;
  const time = startsAt === undefined ? "" : formatDuration((startsAt - Date.now()) / 1000);
  const added = plural(startsAt === undefined ? "popup.added" : "grace.added", count, { time });
  const resuming = plural("popup.resumed", resumed);
  return joinSentences([resumed > 0 && resuming, (count > 0 || resumed === 0) && added]);
}
