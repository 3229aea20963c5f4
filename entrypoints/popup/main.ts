/** The popup, and the same page in a tab. */

import { ACCEPT, canPick, pick, takeDrops, takeFrom } from "../shared/choose-files.ts";
import { checkFiles, type Dropped } from "../shared/chosen-files.ts";
import { formatDuration } from "../shared/format.ts";
import { withoutSecrets } from "../shared/job.ts";
import { openDatabase, readJobs } from "../shared/list-store.ts";
import { localizePage } from "../shared/localize-page.ts";
import type { ListTrouble, OffscreenEvent } from "../shared/messages.ts";
import { setText } from "../shared/set-text.ts";
import { isReady, readSettings } from "../shared/settings.ts";
import { plural, t } from "../shared/translate.ts";
import { createAllDrafts } from "./all-drafts.ts";
import { jobToShow, watchDialogs } from "./dialogs.ts";
import { openHistory } from "./history.ts";
import { lookUpAddresses } from "./known-addresses.ts";
import { createListHeader } from "./list-header.ts";
import { LIST_TROUBLE_KEYS } from "./message-catalogue.ts";
import { openOffscreenConnection } from "./offscreen-connection.ts";
import { createPageVideos } from "./page-videos/section.ts";
import { CHOOSES_IN_PANEL, followFrontTab, makePanelButton, moveToPanel } from "./panel.ts";
import { openLinkField } from "./paste-link.ts";
import { createRetryOffer } from "./retry-offer.ts";
import { makeReviewSwitch } from "./review-switch.ts";
import { createRowList } from "./row-list.ts";
import { createShownRow } from "./shown-row.ts";
import { openedFrom, surface } from "./surface.ts";
import { createUndo } from "./undo.ts";

localizePage();

const find = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;

document.documentElement.classList.add(`in-${surface}`);
const inPopup = surface === "popup";
const inTab = surface === "tab";

const chooseButton = find<HTMLButtonElement>("choose-videos");
const input = find<HTMLInputElement>("files");
const status = find("status");
const trouble = find("trouble");

/** Milliseconds for which the status line stays. */
const STATUS_TIME = 5000;
let announced = "";
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
const dialogs = watchDialogs(inPopup, connection.send);
const shownRow = createShownRow(announce);
const showReview = makeReviewSwitch();
const retryOffer = createRetryOffer({ send: connection.send, announce, focusFallback: chooseButton });
const list = createRowList({
  root: find<HTMLUListElement>("list"),
  inTab: !inPopup,
  send: connection.send,
  announce,
  onChange: showCounts,
  focusFallback: chooseButton,
});

const pageVideos = createPageVideos({
  surface,
  send: connection.send,
  nameBatch: expectTaken,
  lookUp: async (videos) => (await lookUpAddresses(videos)).map((known) => known?.state),
});

const link = openLinkField({
  form: find<HTMLFormElement>("link-form"),
  send: connection.send,
  nameBatch: expectTaken,
});
const header = createListHeader({ find, send: connection.send, hide });
const undo = createUndo({
  button: find("undo"),
  announce,
  undo: () => connection.send({ type: "undo" }),
  focusFallback: chooseButton,
});
const allDrafts = createAllDrafts({ find, hide, send: connection.send, firstDraft: list.firstDraft });
openHistory({ find, announce });
// A notification opens this page to show an upload.
shownRow.show(new URLSearchParams(location.search).get("job") ?? undefined);
// The menu opens this page to say why it couldn't take a video.
link.refuse(new URLSearchParams(location.search).get("refused") ?? "");

/** Says something for a moment. */
function announce(sentence: string): void {
  if (sentence !== announced || status.textContent === "") setText(status, sentence);
  announced = sentence;
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
      if (!pending.delete(event.batch)) return;
      announce(takenSentence(event));
      if (event.leftOut !== undefined)
        setText(find("choose-problem"), plural("popup.leftOut", event.leftOut));
      return;
    case "changed":
      list.show(event.jobs, true);
      retryOffer.note(event.jobs, true);
      return;
    case "trouble":
      showTrouble(event.trouble);
      return;
    case "removed":
      for (const id of event.jobIds) removed.add(id);
      list.remove(event.jobIds);
      retryOffer.remove(event.jobIds);
      if (event.undoable !== undefined) undo.offer(event.undoable);
      return;
  }
}

/** Synchronous: after a real file dialog the popup lives no longer than the handler that calls this. */
function handOver(dropped: Dropped): void {
  const { good, problem } = checkFiles(dropped);
  if (good.length > 0) connection.send({ type: "files", batch: expectTaken(), files: good });
  if (good.length > 0 || problem !== "") setText(find("choose-problem"), problem);
}

/** Names a batch that is about to be handed over, and says so if nobody takes it. */
function expectTaken(): string {
  const batch = dialogs.nameBatch();
  const late = setTimeout(() => {
    trouble.textContent = t("popup.notAdded");
  }, HANDOVER_TIMEOUT);
  pending.set(batch, late);
  return batch;
}

function showCounts(): void {
  const { all, drafts, startable, done, totals } = list.counts();
  hide("uploads", all === 0);
  hide("empty", all > 0 || !find("first-run").hidden);
  header.show(totals);
  allDrafts.show(drafts);
  hide("start-all", startable < 2);
  hide("clear-ended", done === 0);
  shownRow.check();
}

/** How many were taken, and when they start. The seconds until then are told once. */
function takenSentence({ jobIds, startsAt }: Extract<OffscreenEvent, { type: "taken" }>): string {
  if (startsAt === undefined) return plural("popup.added", jobIds.length);
  return plural("grace.added", jobIds.length, { time: formatDuration((startsAt - Date.now()) / 1000) });
}

/** Hides what is of no use now. Its focus goes to the button beside it, or where there always is something to do. */
function hide(id: string, hidden: boolean): void {
  const element = find(id);
  const focused = hidden && element.contains(document.activeElement);
  element.hidden = hidden;
  if (!focused) return;
  const beside = element.parentElement?.querySelector<HTMLElement>(":scope > button:not([hidden])");
  (element.matches("#list-buttons > *") ? (beside ?? chooseButton) : chooseButton).focus();
}

/** Whether the uploads respond; a restart ends whatever keeps them from it. */
function showWhetherReady(isReady: boolean): void {
  hide("no-answer", isReady);
  find("no-answer-words").textContent = isReady ? "" : t("popup.silentHint");
}

/** What is wrong with the stored list, and what can be done about it. */
function showTrouble(what: ListTrouble | undefined): void {
  hide("list-trouble", what === undefined);
  hide("renew-list", what !== "unreadable");
  find("list-trouble-words").textContent = what === undefined ? "" : t(LIST_TROUBLE_KEYS[what]);
}

async function showSettings(): Promise<void> {
  const [{ playbackPage, reviewFirst }, ready] = await Promise.all([readSettings(), isReady()]);
  find("first-run").hidden = ready;
  find("choose").hidden = !ready;
  find("page-videos").hidden = !ready || openedFrom === "";
  list.setPlaybackPage(playbackPage);
  showReview(reviewFirst);
}

async function showList(): Promise<void> {
  const database = await openDatabase();
  const jobs = await readJobs(database);
  database.close();
  const known = jobs.filter(({ id }) => !removed.has(id) && !list.has(id)).map(withoutSecrets);
  list.show(known, false);
  retryOffer.note(known, false);
}

/** The tab in front of the popup, or the one that this tab was opened from. */
async function lookIntoPage(): Promise<void> {
  const [front] = await chrome.tabs.query({ active: true, currentWindow: true });
  find<HTMLAnchorElement>("open-in-tab").href = `?tab=${front?.id ?? ""}`;
  const tabId = inTab ? Number(openedFrom) : front?.id;
  if (tabId) await pageVideos.lookInto(tabId);
}

input.accept = ACCEPT.join();
input.addEventListener("change", () => handOver({ files: takeFrom(input), emptyFolders: [] }));
chooseButton.addEventListener("click", async () => {
  if (CHOOSES_IN_PANEL) moveToPanel();
  else if (canPick(!inPopup)) handOver({ files: await pick(true), emptyFolders: [] });
  else input.click();
});
takeDrops(handOver);
makePanelButton(inPopup);
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
if (surface === "panel") void followFrontTab((tabId) => void pageVideos.lookInto(tabId));
if (inPopup) void jobToShow().then(shownRow.show);
await connection.connect();
clearTimeout(late);
