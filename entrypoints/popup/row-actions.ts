/** What the buttons of a row do. */

import { type ChosenFile, canPick, pick } from "../shared/choose-files.ts";
import { requestHosts, requestReading } from "../shared/host-permissions.ts";
import type { HostNeed, Job } from "../shared/job.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import { sourceKind } from "../shared/source-kinds.ts";
import { t } from "../shared/translate.ts";
import { linksOfJob } from "./done-row.ts";
import { allowFile } from "./file-permission.ts";
import { copyableId } from "./links.ts";
import { type ButtonName, fileRefusedSentence } from "./message-catalogue.ts";
import { openLink, openPage } from "./open-page.ts";
import { CHOOSES_IN_PANEL, moveToPanel } from "./panel.ts";
import { createRowFolds } from "./row-folds.ts";
import type { RowView } from "./row-view.ts";

export interface ActingRow {
  element: HTMLLIElement;
  view: RowView;
  /** Whether it is to be edited as soon as it can be. */
  isEdited?: boolean;
}

export interface RowActions<Row extends ActingRow> {
  act(row: Row, button: ButtonName): Promise<void>;
  /** Hands over the file that a row asked for. */
  giveFile(row: Row, given: ChosenFile[]): void;
  /** Leaves a question, or folds in what is open; whether there was anything to leave. */
  leave(row: Row): boolean;
}

export interface RowActionsOptions<Row extends ActingRow> {
  inTab: boolean;
  send(command: OffscreenCommand): void;
  /** Says something in the page's status line. */
  announce(sentence: string): void;
  draw(row: Row): void;
  playbackPage(): string;
  /** Starts a draft, or goes to what is wrong in it. */
  start(row: Row): void;
  /** Opens a draft's form, or closes it unless something in it is wrong. */
  toggleForm(row: Row): void;
}

/** Milliseconds for which a button says that it has copied. */
const COPIED_TIME = 1500;

export function createRowActions<Row extends ActingRow>({
  inTab,
  send,
  announce,
  draw,
  playbackPage,
  start,
  toggleForm,
}: RowActionsOptions<Row>): RowActions<Row> {
  const { focusButton, keep, toggleMore, leave } = createRowFolds<Row>({ draw, toggleForm });

  function note(row: Row, sentence: string): void {
    row.view.note = sentence;
    draw(row);
  }

  function giveFile(row: Row, [given]: ChosenFile[]): void {
    if (given === undefined) return;
    delete row.view.note;
    send({ type: "give-file", jobId: row.view.job.id, ...given });
    draw(row);
  }

  async function act(row: Row, button: ButtonName): Promise<void> {
    const { element, view } = row;
    const { id: jobId, needs } = view.job;
    const command = commandOf(button, view.job);
    if (command !== undefined) return send(command);
    switch (button) {
      case "start":
      case "start-over":
        return start(row);
      case "edit":
        if (view.job.state === "draft") return toggleForm(row);
        // Its form opens once it is a draft.
        row.isEdited = true;
        return send({ type: "redraft", jobId });
      case "continue":
      case "try-again":
        // Its address may lead to another host, which only shows with this.
        if (isUnreadAddress(view.job)) await requestReading([]);
        return send({ type: "continue", jobId });
      case "cancel":
        view.isConfirmingEnd = true;
        draw(row);
        return focusButton(row, "keep");
      case "keep":
        return keep(row);
      case "more":
        return toggleMore(row);
      case "choose-file":
        if (CHOOSES_IN_PANEL) return moveToPanel();
        if (canPick(inTab)) return giveFile(row, await pick(false));
        return element.querySelector<HTMLInputElement>("input[type=file]")?.click();
      case "allow-file":
        if (await allowFile(jobId)) return send({ type: "permission-given", jobId });
        return note(row, fileRefusedSentence(inTab));
      case "allow-host":
        if (needs?.permission !== "host") return;
        if (await allowHost(needs)) return send({ type: "permission-given", jobId });
        return note(row, t("row.hostRefused"));
      case "open-page":
        return await openPage(jobId);
      case "open-link":
        return await openLink(jobId);
      case "open-options":
        return await chrome.runtime.openOptionsPage();
      case "copy-asset-id":
      case "copy-playback-id":
      case "copy-link":
        return await copyText(row, button, copiedText(button, view.job, playbackPage()), { announce, draw });
    }
  }

  return { act, giveFile, leave };
}

/** What a button sends and does nothing else; nothing where it does something on the page. */
function commandOf(button: ButtonName, { id: jobId, state, asset }: Job): OffscreenCommand | undefined {
  switch (button) {
    case "pause":
    case "remove":
    case "move-up":
      return { type: button, jobId };
    case "start-now":
      return { type: "start", jobId };
    case "start-over":
      return state === "draft" ? undefined : { type: button, jobId };
    case "end-upload":
      return { type: "cancel", jobId };
    case "cancel":
      // What the service has begun is asked about first.
      return asset === undefined ? { type: "cancel", jobId } : undefined;
    default:
      return undefined;
  }
}

type CopyButton = Extract<ButtonName, `copy-${string}`>;

function copiedText(button: CopyButton, job: Job, playbackPage: string): string | undefined {
  switch (button) {
    case "copy-asset-id":
      return copyableId(job.asset?.id);
    case "copy-playback-id":
      return copyableId(job.asset?.playbackId);
    case "copy-link":
      return linksOfJob(job, playbackPage).watch;
  }
}

async function copyText<Row extends ActingRow>(
  row: Row,
  button: ButtonName,
  text: string | undefined,
  { announce, draw }: Pick<RowActionsOptions<Row>, "announce" | "draw">,
): Promise<void> {
  if (text === undefined) return;
  await navigator.clipboard.writeText(text);
  announce(t("popup.copied", { text }));
  row.view.copied = button;
  draw(row);
  setTimeout(() => {
    if (row.view.copied !== button) return;
    delete row.view.copied;
    draw(row);
  }, COPIED_TIME);
}

function allowHost({ reads, origin }: HostNeed): Promise<boolean> {
  return reads ? requestReading([origin]) : requestHosts([origin]);
}

function isUnreadAddress({ state, source, error }: Job): boolean {
  return state === "failed" && sourceKind(source).isAtAddress && error?.code === "source-unreadable";
}
