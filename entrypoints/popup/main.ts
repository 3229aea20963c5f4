/** The popup, and the same page in a tab. */

import { withoutSecrets } from "../shared/job.ts";
import { openDatabase, readJobs } from "../shared/list-store.ts";
import type { ListTrouble, OffscreenEvent } from "../shared/messages.ts";
import { isReady, readSettings } from "../shared/settings.ts";
import { ACCEPT, type ChosenFile, canPick, pick, takeDrops, takeFrom } from "./choose.ts";
import { formatCount } from "./format.ts";
import { LIST_TROUBLE_MESSAGES } from "./message-catalogue.ts";
import { openOffscreenConnection } from "./offscreen-connection.ts";
import { createPageVideos } from "./page-videos/section.ts";
import { openLinkField } from "./paste-link.ts";
import { createRowList } from "./row-list.ts";

const find = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;

/** The tab this page was opened from; null in the popup itself. */
const openedFrom = new URLSearchParams(location.search).get("tab");
const inTab = openedFrom !== null;
document.documentElement.classList.toggle("in-tab", inTab);

const chooseButton = find<HTMLButtonElement>("choose-videos");
const input = find<HTMLInputElement>("files");
const status = find("status");
const trouble = find("trouble");

/** Milliseconds for which the status line stays. */
const STATUS_TIME = 5000;
let clearing: ReturnType<typeof setTimeout> | undefined;
/** Milliseconds in which the offscreen document should be ready. */
const CONNECT_TIMEOUT = 10_000;
/** Milliseconds in which the offscreen document confirms that it has the files. */
const HANDOVER_TIMEOUT = 5000;
/** Batches handed over, until they are confirmed. */
const pending = new Map<string, ReturnType<typeof setTimeout>>();
/** Jobs that went before the list was read. */
const removed = new Set<string>();

const connection = openOffscreenConnection(onEvent);
const list = createRowList({
  root: find<HTMLUListElement>("list"),
  inTab,
  send: connection.send,
  announce,
  onChange: showCounts,
  focusFallback: chooseButton,
});

const pageVideos = createPageVideos({ inTab, send: connection.send, nameBatch: expectTaken });

const link = openLinkField({
  form: find<HTMLFormElement>("link-form"),
  send: connection.send,
  nameBatch: expectTaken,
});
// The menu opens this page to say why it couldn't take a video.
link.refuse(new URLSearchParams(location.search).get("refused") ?? "");

/** Says something for a moment. */
function announce(sentence: string): void {
  if (status.textContent !== sentence) status.textContent = sentence;
  clearTimeout(clearing);
  clearing = setTimeout(() => {
    status.textContent = "";
  }, STATUS_TIME);
}

function onEvent(event: OffscreenEvent): void {
  switch (event.type) {
    case "ready":
      chooseButton.disabled = false;
      pageVideos.enable();
      trouble.textContent = "";
      showWhetherReady(true);
      return;
    case "taken":
      clearTimeout(pending.get(event.batch));
      if (pending.delete(event.batch)) announce(`${formatCount(event.jobIds.length, "video")} added`);
      return;
    case "changed":
      list.show(event.jobs, true);
      return;
    case "trouble":
      showTrouble(event.trouble);
      return;
    case "removed":
      for (const id of event.jobIds) removed.add(id);
      list.remove(event.jobIds);
      return;
  }
}

/** Synchronous: after a real file dialog the popup lives no longer than the handler that calls this. */
function handOver(files: ChosenFile[]): void {
  if (files.length === 0) return;
  connection.send({ type: "files", batch: expectTaken(), files });
}

/** Names a batch that is about to be handed over, and says so if nobody takes it. */
function expectTaken(): string {
  const batch = crypto.randomUUID();
  const late = setTimeout(() => {
    trouble.textContent = "The videos could not be added. Choose them again.";
  }, HANDOVER_TIMEOUT);
  pending.set(batch, late);
  return batch;
}

function showCounts(): void {
  const { all, drafts, ended } = list.counts();
  hide("uploads", all === 0);
  hide("empty", all > 0 || !find("first-run").hidden);
  hide("start-all", drafts < 2);
  hide("clear-ended", ended === 0);
}

/** Hides what is of no use now. Its focus goes where there always is something to do. */
function hide(id: string, hidden: boolean): void {
  const element = find(id);
  const focused = hidden && element.contains(document.activeElement);
  element.hidden = hidden;
  if (focused) chooseButton.focus();
}

/** Whether the uploads respond; a restart ends whatever keeps them from it. */
function showWhetherReady(isReady: boolean): void {
  hide("no-answer", isReady);
  find("no-answer-words").textContent = isReady
    ? ""
    : "Uploads don't respond. What was uploaded is not lost.";
}

/** What is wrong with the stored list, and what can be done about it. */
function showTrouble(what: ListTrouble | undefined): void {
  hide("list-trouble", what === undefined);
  hide("renew-list", what !== "unreadable");
  find("list-trouble-words").textContent = what === undefined ? "" : LIST_TROUBLE_MESSAGES[what];
}

async function showSettings(): Promise<void> {
  const [{ playbackPage }, ready] = await Promise.all([readSettings(), isReady()]);
  find("first-run").hidden = ready;
  find("choose").hidden = !ready;
  find("page-videos").hidden = !ready || openedFrom === "";
  list.setPlaybackPage(playbackPage);
}

async function showList(): Promise<void> {
  const database = await openDatabase();
  const jobs = await readJobs(database);
  database.close();
  list.show(jobs.filter(({ id }) => !removed.has(id) && !list.has(id)).map(withoutSecrets), false);
}

/** The tab in front of the popup, or the one that this tab was opened from. */
async function lookIntoPage(): Promise<void> {
  const [front] = await chrome.tabs.query({ active: true, currentWindow: true });
  find<HTMLAnchorElement>("open-in-tab").href = `?tab=${front?.id ?? ""}`;
  const tabId = inTab ? Number(openedFrom) : front?.id;
  if (tabId) await pageVideos.lookInto(tabId);
}

input.accept = ACCEPT.join();
input.addEventListener("change", () => handOver(takeFrom(input)));
chooseButton.addEventListener("click", async () => {
  if (canPick(inTab)) handOver(await pick(true));
  else input.click();
});
takeDrops(handOver);
find("start-all").addEventListener("click", list.startAll);
find("clear-ended").addEventListener("click", () => connection.send({ type: "clear-ended" }));
find("repair-list").addEventListener("click", () =>
  connection.send({ type: "repair-list", discardStored: false }),
);
find("renew-list").addEventListener("click", () =>
  connection.send({ type: "repair-list", discardStored: true }),
);
find("restart").addEventListener("click", () => chrome.runtime.reload());
for (const id of ["open-options", "first-options"])
  find(id).addEventListener("click", () => chrome.runtime.openOptionsPage());
addEventListener("pagehide", list.flush);
chrome.storage.onChanged.addListener(() => void showSettings().then(showCounts));

const late = setTimeout(() => {
  showWhetherReady(false);
}, CONNECT_TIMEOUT);
// Where the list can't be read, the offscreen document says so, and sends what it has.
await Promise.all([showSettings(), showList().catch(() => {})]);
showCounts();
void lookIntoPage();
await connection.connect();
clearTimeout(late);
