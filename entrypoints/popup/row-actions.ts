/** What the buttons of a row do. */
import type { RefObject } from "preact";
import { requestHosts, requestReading } from "../reach/host-permissions.ts";
import { canPick, pick } from "../shared/choose-files.ts";
import type { ChosenFile } from "../shared/chosen-files.ts";
import { isRunning, type Job, type JobState } from "../shared/job.ts";
import { sourceKind } from "../shared/source-kinds.ts";
import { t } from "../shared/translate.ts";
import { checkForm, goTo } from "./draft-form.tsx";
import { earlierLink } from "./earlier-upload.ts";
import { copyableId, linksOfJob } from "./links.ts";
import type { ButtonName } from "./message-catalogue.ts";
import { send } from "./offscreen-connection.ts";
import { account, playbackPage } from "./page-settings.ts";
import { CHOOSES_IN_PANEL, moveToPanel, surface } from "./panel.ts";
import { allowFiles, sourceOf } from "./stored-source.ts";
import { copyText } from "./toast.tsx";

export interface RowState {
  /** The state in which more was folded out: a draft's form, or the rest of what can be done with an upload. */
  open?: JobState | undefined;
  /** True if the person was asked if the upload shall end. */
  asksEnd?: boolean;
  /** The words that came of the last click, where the list doesn't tell, and the state that they are about. */
  note?: { of: JobState; words: string } | undefined;
  copied?: ButtonName | undefined;
  focus?: ButtonName | undefined;
}

export interface ActingRow {
  job: Job;
  state: RowState;
  element: RefObject<HTMLLIElement | null>;
  change(changes: RowState): void;
}

/** States between which an upload goes to and fro by itself, or by a click: what is folded out stays. */
export const isUnderWay = (job: Job): boolean => isRunning(job) || job.state === "paused";

export function isOpen({ job, state }: Pick<ActingRow, "job" | "state">): boolean {
  return state.open === foldOf(job);
}

const foldOf = (job: Job): JobState => (isUnderWay(job) ? "uploading" : job.state);

const inTab = surface !== "popup";
const COPIED_TIME = 1500;

export async function act(row: ActingRow, button: ButtonName): Promise<void> {
  const { job, element, change } = row;
  const { id: jobId, needs } = job;
  const note = (words: string) => change({ note: { of: job.state, words } });
  switch (button) {
    case "pause":
    case "remove":
      return send({ type: button, jobIds: [jobId] });
    case "dont-upload":
      return send({ type: "remove", jobIds: [jobId] });
    case "move-up":
    case "upload-new":
      return send({ type: button, jobId });
    case "start":
      return startDrafts([job]);
    case "start-over":
      return job.state === "draft" ? startDrafts([job]) : send({ type: button, jobId });
    case "end-upload":
      return send({ type: "cancel", jobId });
    case "edit":
      if (job.state === "draft") return toggle(row, "edit");
      // The form opens once the job is a draft.
      change({ open: "draft" });
      return send({ type: "redraft", jobIds: [jobId] });
    case "continue":
    case "try-again":
      // Only with this permission a redirect of the address to another host shows.
      if (job.error?.code === "source-unreadable" && sourceKind(job.source).isAtAddress)
        await requestReading([]);
      return send({ type: "continue", jobIds: [jobId] });
    case "cancel":
      // What the service has begun is asked about first.
      return job.asset === undefined
        ? send({ type: "cancel", jobId })
        : change({ asksEnd: true, focus: "keep" });
    case "keep":
      return change({ asksEnd: false, focus: "cancel" });
    case "more":
      return toggle(row, "more");
    case "choose-file":
      if (CHOOSES_IN_PANEL) return moveToPanel();
      if (canPick(inTab)) return giveFile(row, await pick(false));
      return element.current?.querySelector<HTMLInputElement>("input[type=file]")?.click();
    case "allow-file":
      if (await allowFiles(jobId)) return;
      return note(t(inTab ? "row.fileRefused" : "row.fileRefusedInPopup"));
    case "allow-host":
      if (needs?.permission !== "host") return;
      if (await (needs.reads ? requestReading : requestHosts)([needs.origin]))
        return send({ type: "permission-given", jobId });
      return note(t("row.hostRefused"));
    case "open-page":
      return await openPage(jobId, "page");
    case "open-link":
      return await openPage(jobId, "url");
    case "change-token":
      return void (await chrome.tabs.create({ url: chrome.runtime.getURL("options.html#token") }));
    case "use-account": {
      const current = account.peek();
      return current && send({ type: button, jobIds: [jobId], account: current });
    }
    case "open-options":
      return await chrome.runtime.openOptionsPage();
    case "copy-asset-id":
    case "copy-playback-id":
    case "copy-link":
      return await copy(row, button);
    case "open":
    case "download":
      // Links, which the browser follows.
      return;
    default:
      return button satisfies never;
  }
}

export function giveFile({ job, change }: ActingRow, [given]: ChosenFile[]): void {
  if (given === undefined) return;
  change({ note: undefined });
  send({ type: "give-file", jobId: job.id, ...given });
}

/** Starts drafts, together; goes to the first mistake in the forms of the others. */
export function startDrafts(drafts: readonly Job[]): void {
  const checked = drafts.map(({ id }) => ({ id, wrong: checkForm(id) }));
  const jobIds = checked.flatMap(({ id, wrong }) => (wrong.length === 0 ? [id] : []));
  if (jobIds.length > 0) send({ type: "start", jobIds });
  goTo(checked.flatMap(({ wrong }) => wrong)[0]);
}

/** Leaves a question, or folds in what is open; whether there was anything to leave. */
export function leave(row: ActingRow): boolean {
  const { job, state, change } = row;
  if (state.asksEnd) change({ asksEnd: false, focus: "cancel" });
  else if (isOpen(row)) toggle(row, job.state === "draft" ? "edit" : "more");
  else return false;
  return true;
}

/** Folds out what belongs to a button, or in, unless something in it is wrong. */
function toggle(row: ActingRow, button: "edit" | "more"): void {
  const { job, change } = row;
  const [wrong] = isOpen(row) ? checkForm(job.id) : [];
  if (!isOpen(row)) change({ open: foldOf(job) });
  else if (wrong === undefined) change({ open: undefined, focus: button });
  else goTo(wrong);
}

type CopyButton = Extract<ButtonName, `copy-${string}`>;

async function copy({ job, change }: ActingRow, button: CopyButton): Promise<void> {
  const text = copiedText(button, job);
  if (text === undefined) return;
  await copyText(text);
  change({ copied: button });
  setTimeout(() => change({ copied: undefined }), COPIED_TIME);
}

function copiedText(button: CopyButton, job: Job): string | undefined {
  switch (button) {
    case "copy-asset-id":
      return copyableId(job.asset?.id);
    case "copy-playback-id":
      return copyableId(job.asset?.playbackId);
    case "copy-link":
      return earlierLink(job) ?? linksOfJob(job, playbackPage.peek()).watch;
  }
}

/** Opens the page that a video was found on, or its own address, for what turned out to be a page. */
async function openPage(jobId: string, which: "page" | "url"): Promise<void> {
  const address = (await sourceOf(jobId))?.[which];
  if (address !== undefined) await chrome.tabs.create({ url: address });
}
