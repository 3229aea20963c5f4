/** What the buttons of a row do. */

import { requestHosts, requestReading } from "../shared/host-permissions.ts";
import type { Job } from "../shared/job.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import { canPick, type Given, pick } from "./choose.ts";
import { allowFile } from "./file-permission.ts";
import type { ButtonName } from "./message-catalogue.ts";
import { openPage } from "./open-page.ts";
import { linksOfJob, type RowView } from "./row.ts";

export interface ActingRow {
  element: HTMLLIElement;
  view: RowView;
}

export interface RowActions<Row extends ActingRow> {
  act(row: Row, button: ButtonName): Promise<void>;
  /** Hands over the file that a row asked for. */
  giveFile(row: Row, given: Given[]): void;
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

  function giveFile(row: Row, [given]: Given[]): void {
    if (given === undefined) return;
    delete row.view.note;
    send({ type: "give-file", jobId: row.view.job.id, ...given });
    draw(row);
  }

  async function act(row: Row, button: ButtonName): Promise<void> {
    const { element, view } = row;
    const { id: jobId, needs, asset } = view.job;
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
        return note(
          row,
          inTab
            ? "The browser was not allowed to read the file. Try again, or choose the file."
            : "The browser was not allowed to read the file. Open this list in a tab and try there, or choose the file.",
        );
      case "allow-host":
        if (needs?.permission !== "host") return;
        if (await (needs.reads ? requestReading([needs.origin]) : requestHosts([needs.origin])))
          return send({ type: "permission-given", jobId });
        return note(row, "Without this permission the upload can't continue.");
      case "open-page":
        return await openPage(jobId);
      case "open-options":
        return await chrome.runtime.openOptionsPage();
      case "copy-asset-id":
        return await copy(row, button, asset?.id);
      case "copy-playback-id":
        return await copy(row, button, asset?.playbackId);
      case "copy-link":
        return await copy(row, button, linksOfJob(view.job, playbackPage()).watch);
    }
  }

  async function copy(row: Row, button: ButtonName, text: string | undefined): Promise<void> {
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

  return { act, giveFile };
}

function isUnreadAddress({ state, source, error }: Job): boolean {
  return state === "failed" && source.kind === "url" && error?.code === "source-unreadable";
}
