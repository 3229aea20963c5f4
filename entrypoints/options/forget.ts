/** Forgets the account, and what else the person wants to be forgotten, after a question. */

import { element } from "../shared/elements.ts";
import { isEnded } from "../shared/job.ts";
import { openDatabase, readJobs } from "../shared/list-store.ts";
import { callBackground } from "../shared/messages.ts";
import { openOffscreenChannel } from "../shared/offscreen-channel.ts";
import { setText } from "../shared/set-text.ts";
import { plural } from "../shared/translate.ts";

/** Milliseconds for uploads to stop and the list to be emptied. */
const LIST_TIMEOUT = 30_000;

export interface ForgetOptions {
  /** Called once what was chosen is forgotten. */
  onForgotten(): void;
  onFailed(): void;
}

/** Opens the question at a click on its button. */
export function makeForgetDialog({ onForgotten, onFailed }: ForgetOptions): void {
  const dialog = element("forget-dialog", HTMLDialogElement);
  const withList = element("forget-list", HTMLInputElement);
  const withHosts = element("forget-hosts", HTMLInputElement);
  const confirm = element("forget-confirm", HTMLButtonElement);

  element("forget", HTMLButtonElement).addEventListener("click", () => {
    for (const box of [withList, withHosts]) box.checked = true;
    element("forget-unfinished", HTMLElement).hidden = true;
    dialog.showModal();
    void showUnfinished();
  });
  element("forget-cancel", HTMLButtonElement).addEventListener("click", () => dialog.close());
  confirm.addEventListener("click", async () => {
    confirm.disabled = true;
    try {
      if (withList.checked) await clearList();
      await callBackground("forget-account", { hosts: withHosts.checked });
      onForgotten();
    } catch (error) {
      console.error(error instanceof Error ? error.name : "unknown error");
      onFailed();
    } finally {
      confirm.disabled = false;
      dialog.close();
    }
  });
}

/** Warns of uploads that are not finished. */
async function showUnfinished(): Promise<void> {
  const list = await openDatabase().catch(() => undefined);
  const jobs = list === undefined ? [] : await readJobs(list).catch(() => []);
  list?.close();
  const count = jobs.filter((job) => !isEnded(job) && job.state !== "draft").length;
  const warning = element("forget-unfinished", HTMLElement);
  warning.hidden = count === 0;
  setText(warning, plural("forget.unfinished", count));
}

/** Has all uploads stopped and the list emptied, and resolves when they are. */
async function clearList(): Promise<void> {
  let cleared = () => {};
  const done = new Promise<void>((resolve) => {
    cleared = resolve;
  });
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error("the uploads don't answer")), LIST_TIMEOUT);
  });
  const channel = openOffscreenChannel(({ type }) => {
    if (type === "removed") cleared();
  });
  try {
    await Promise.race([callBackground("ensure-offscreen", {}).then(() => channel.waitUntilReady()), late]);
    channel.send({ type: "clear-list" });
    await Promise.race([done, late]);
  } finally {
    channel.close();
  }
}
