/**
 * Opens the popup again that a dialog of the browser has closed. Only where the popup has noted its dialog: a tab and
 * the side panel stay open by themselves.
 *
 * The popup that opens takes the note away, so this ends with it, also if the person was faster.
 */
import { readDialogNote, writeDialogNote } from "../shared/dialog-note.ts";
import type { BackgroundProtocol } from "../shared/messages.ts";

/** Milliseconds between two tries: the window takes a moment to have the focus again. */
const RETRY_INTERVAL = 250;
/** Milliseconds until it is given up. The badge tells what waits, and the next popup shows it. */
const GIVE_UP_TIME = 60_000;
/** Milliseconds for which a question of the browser is taken to be open: later changes of the focus mean nothing. */
const QUESTION_TIME = 5 * 60_000;

let reopening: Promise<void> | undefined;

/** The uploads have what was chosen, or know that the dialog was left. */
export async function noteTaken({ batch, jobIds }: BackgroundProtocol["taken"]["request"]): Promise<void> {
  const note = await readDialogNote();
  const isAbout = note?.batch === batch || (note?.jobId !== undefined && jobIds.includes(note.jobId));
  if (note === undefined || !isAbout) return;
  const [jobId = note.jobId] = jobIds;
  await writeDialogNote({ ...note, ...(jobId !== undefined && { jobId }) });
  if (note.kind === "file") void reopen();
}

/** A permission was given, or the window has the focus again, as it has after "Block". */
export async function noteAnswer(): Promise<void> {
  const note = await readDialogNote();
  if (note?.kind === "host" && Date.now() - note.at < QUESTION_TIME) void reopen();
}

function reopen(): Promise<void> {
  reopening ??= tryUntilOpen().finally(() => {
    reopening = undefined;
  });
  return reopening;
}

async function tryUntilOpen(): Promise<void> {
  for (const deadline = performance.now() + GIVE_UP_TIME; performance.now() < deadline; ) {
    const note = await readDialogNote();
    if (note === undefined) return;
    // The old one may be about to close, and a new one about to take its note.
    const popups = await chrome.runtime.getContexts({ contextTypes: ["POPUP"] });
    if (popups.length === 0) await openPopup(note.windowId);
    await new Promise((resolve) => setTimeout(resolve, RETRY_INTERVAL));
  }
}

/** Opens the popup; whether it did: not while no window of the browser has the focus. */
export async function openPopup(windowId: number | undefined): Promise<boolean> {
  const options = windowId === undefined ? undefined : { windowId };
  return await chrome.action.openPopup(options).then(
    () => true,
    () => false,
  );
}
