/** What the buttons of a row do. */

import { requestHosts, requestReading } from "../shared/host-permissions.ts";
import type { HostNeed, Job } from "../shared/job.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import { type ChosenFile, canPick, pick } from "./choose.ts";
import { allowFile } from "./file-permission.ts";
import { type ButtonName, FILE_REFUSED_MESSAGES, HOST_REFUSED_MESSAGE } from "./message-catalogue.ts";
import { openPage } from "./open-page.ts";
import { linksOfJob, type RowView } from "./row.ts";

export interface ActingRow {
  element: HTMLLIElement;
  view: RowView;
}

export interface RowActions<Row extends ActingRow> {
  act(row: Row, button: ButtonName): Promise<void>;
  /** Hands over the file that a row asked for. */
  giveFile(row: Row, given: ChosenFile[]): void;
}

export interface RowActionsOptions<Row extends ActingRow> {
  inTab: boolean;
  send(command: OffscreenCommand): void;
  /** Says something in the page's status line. */
  announce(sentence: string): void;
  draw(row: Row): void;
  playbackPage(): string;
}

/** Milliseconds for which a button says that it has copied. */
const COPIED_TIME = 1500;

export function createRowActions<Row extends ActingRow>({
  inTab,
  send,
  announce,
  draw,
  playbackPage,
}: RowActionsOptions<Row>): RowActions<Row> {
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
    const { id: jobId, needs, asset } = view.job;
    const copy = (text: string | undefined) => copyText(row, button, text, { announce, draw });
    switch (button) {
      case "pause":
      case "remove":
      case "start-over":
        return send({ type: button, jobId });
      case "edit":
        return send({ type: "redraft", jobId });
      case "continue":
      case "try-again":
        // Its address may lead to another host, which only shows with this.
        if (isUnreadAddress(view.job)) await requestReading([]);
        return send({ type: "continue", jobId });
      case "cancel":
        if (asset === undefined) return send({ type: "cancel", jobId });
        view.isConfirmingEnd = true;
        draw(row);
        return element.querySelector<HTMLElement>(".buttons button")?.focus();
      case "end-upload":
        return send({ type: "cancel", jobId });
      case "keep":
        delete view.isConfirmingEnd;
        draw(row);
        return;
      case "choose-file":
        if (canPick(inTab)) return giveFile(row, await pick(false));
        return element.querySelector<HTMLInputElement>("input[type=file]")?.click();
      case "allow-file":
        if (await allowFile(jobId)) return send({ type: "permission-given", jobId });
        return note(row, FILE_REFUSED_MESSAGES[inTab ? "tab" : "popup"]);
      case "allow-host":
        if (needs?.permission !== "host") return;
        if (await allowHost(needs)) return send({ type: "permission-given", jobId });
        return note(row, HOST_REFUSED_MESSAGE);
      case "open-page":
        return await openPage(jobId);
      case "open-options":
        return await chrome.runtime.openOptionsPage();
      case "copy-asset-id":
        return await copy(asset?.id);
      case "copy-playback-id":
        return await copy(asset?.playbackId);
      case "copy-link":
        return await copy(linksOfJob(view.job, playbackPage()).watch);
    }
  }

  return { act, giveFile };
}

async function copyText<Row extends ActingRow>(
  row: Row,
  button: ButtonName,
  text: string | undefined,
  { announce, draw }: Pick<RowActionsOptions<Row>, "announce" | "draw">,
): Promise<void> {
  await navigator.clipboard.writeText(text ?? "");
  announce(`Copied: ${text}`);
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
  return state === "failed" && source.kind === "url" && error?.code === "source-unreadable";
}
