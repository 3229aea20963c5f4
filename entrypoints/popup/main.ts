/** The popup, and the same page in a tab. */

import { formatCount } from "../shared/figures.ts";
import { withoutSecrets } from "../shared/job.ts";
import { openList, readJobs } from "../shared/list-store.ts";
import type { ListTrouble, OffscreenNews } from "../shared/messages.ts";
import { isReady, readSettings } from "../shared/settings.ts";
import { LIST_TROUBLE_WORDS } from "../shared/words.ts";
import { ACCEPT, canPick, type Given, pick, takeDrops, takeFrom } from "./choose.ts";
import { createList } from "./list.ts";
import { openLine } from "./offscreen-line.ts";
import { createPageVideos } from "./page-videos/section.ts";
import { openLinkField } from "./paste-link.ts";

const find = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;

/** The tab this page was opened from; null in the popup itself. */
const openedFrom = new URLSearchParams(location.search).get("tab");
const inTab = openedFrom !== null;
document.documentElement.classList.toggle("in-tab", inTab);

const chooseButton = find<HTMLButtonElement>("choose-videos");
const input = find<HTMLInputElement>("files");
const status = find("status");
const trouble = find("trouble");

/** Milliseconds that the status line stays. */
const MOMENT = 5000;
let silence: ReturnType<typeof setTimeout> | undefined;
/** Milliseconds after which the offscreen document should have answered. */
const START = 10_000;
/** Milliseconds in which the offscreen document confirms that it has the files. */
const HAND_OVER = 5000;
/** Batches handed over, until they are confirmed. */
const pending = new Map<string, ReturnType<typeof setTimeout>>();
/** Jobs that went before the list was read. */
const removed = new Set<string>();

const line = openLine(onNews);
const list = createList({
  root: find<HTMLUListElement>("list"),
  inTab,
  tell: line.tell,
  say,
  onChange: showCounts,
  refuge: chooseButton,
});

const pageVideos = createPageVideos({ inTab, tell: line.tell, handOver: expectTaken });

const link = openLinkField({
  form: find<HTMLFormElement>("link-form"),
  tell: line.tell,
  handOver: expectTaken,
});
// The menu opens this page to say why it couldn't take a video.
link.refuse(new URLSearchParams(location.search).get("refused") ?? "");

/** Says something for a moment. */
function say(sentence: string): void {
  if (status.textContent !== sentence) status.textContent = sentence;
  clearTimeout(silence);
  silence = setTimeout(() => {
    status.textContent = "";
  }, MOMENT);
}

function onNews(news: OffscreenNews): void {
  switch (news.type) {
    case "ready":
      chooseButton.disabled = false;
      pageVideos.enable();
      trouble.textContent = "";
      showAnswer(true);
      return;
    case "taken":
      clearTimeout(pending.get(news.batch));
      if (pending.delete(news.batch)) say(`${formatCount(news.jobIds.length, "video")} added`);
      return;
    case "changed":
      list.show(news.jobs, true);
      return;
    case "trouble":
      showTrouble(news.trouble);
      return;
    case "removed":
      for (const id of news.jobIds) removed.add(id);
      list.remove(news.jobIds);
      return;
  }
}

/** Synchronous: after a real file dialog the popup lives no longer than the handler that calls this. */
function handOver(files: Given[]): void {
  if (files.length === 0) return;
  line.tell({ type: "files", batch: expectTaken(), files });
}

/** Names a batch that is about to be handed over, and says so if nobody takes it. */
function expectTaken(): string {
  const batch = crypto.randomUUID();
  const late = setTimeout(() => {
    trouble.textContent = "The videos could not be taken over. Choose them again.";
  }, HAND_OVER);
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

/** That the uploads answer, or don't; a restart ends whatever keeps them from it. */
function showAnswer(answered: boolean): void {
  hide("no-answer", answered);
  find("no-answer-words").textContent = answered ? "" : "Uploads don't answer. What was uploaded is kept.";
}

/** What is wrong with the list at rest, and what can be done about it. */
function showTrouble(what: ListTrouble | undefined): void {
  hide("list-trouble", what === undefined);
  hide("renew-list", what !== "unreadable");
  find("list-trouble-words").textContent = what === undefined ? "" : LIST_TROUBLE_WORDS[what];
}

async function showSettings(): Promise<void> {
  const [{ playbackPage }, ready] = await Promise.all([readSettings(), isReady()]);
  find("first-run").hidden = ready;
  find("choose").hidden = !ready;
  find("page-videos").hidden = !ready || openedFrom === "";
  list.setPlaybackPage(playbackPage);
}

async function showList(): Promise<void> {
  const database = await openList();
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
find("clear-ended").addEventListener("click", () => line.tell({ type: "clear-ended" }));
find("mend-list").addEventListener("click", () => line.tell({ type: "mend-list", anew: false }));
find("renew-list").addEventListener("click", () => line.tell({ type: "mend-list", anew: true }));
find("restart").addEventListener("click", () => chrome.runtime.reload());
for (const id of ["open-options", "first-options"])
  find(id).addEventListener("click", () => chrome.runtime.openOptionsPage());
addEventListener("pagehide", list.flush);
chrome.storage.onChanged.addListener(() => void showSettings().then(showCounts));

const late = setTimeout(() => {
  showAnswer(false);
}, START);
// A list that can't be read is told of by the offscreen document, which shows what it has.
await Promise.all([showSettings(), showList().catch(() => {})]);
showCounts();
void lookIntoPage();
await line.connect();
clearTimeout(late);
