/** The popup, and the same page in a tab. */

import { formatCount } from "../shared/figures.ts";
import { visible } from "../shared/job.ts";
import { openList, readJobs } from "../shared/list-store.ts";
import type { OffscreenNews } from "../shared/messages.ts";
import { isReady, readSettings } from "../shared/settings.ts";
import { ACCEPT, canPick, type Given, pick, takeDrops, takeFrom } from "./choose.ts";
import { createList } from "./list.ts";
import { openLine } from "./offscreen-line.ts";

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
      trouble.textContent = "";
      return;
    case "taken":
      clearTimeout(pending.get(news.batch));
      if (pending.delete(news.batch)) say(`${formatCount(news.jobIds.length, "video")} added`);
      return;
    case "changed":
      list.show(news.jobs, true);
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
  const batch = crypto.randomUUID();
  line.tell({ type: "files", batch, files });
  const late = setTimeout(() => {
    trouble.textContent = "The videos could not be taken over. Choose them again.";
  }, HAND_OVER);
  pending.set(batch, late);
}

function showCounts(): void {
  const { all, drafts, ended } = list.counts();
  find("uploads").hidden = all === 0;
  find("empty").hidden = all > 0 || !find("first-run").hidden;
  find("start-all").hidden = drafts < 2;
  find("clear-ended").hidden = ended === 0;
}

async function showSettings(): Promise<void> {
  const [{ playbackPage }, ready] = await Promise.all([readSettings(), isReady()]);
  find("first-run").hidden = ready;
  find("choose").hidden = !ready;
  list.setPlaybackPage(playbackPage);
}

async function showList(): Promise<void> {
  const database = await openList();
  const jobs = await readJobs(database);
  database.close();
  list.show(jobs.filter(({ id }) => !removed.has(id) && !list.has(id)).map(visible), false);
}

async function linkToTab(): Promise<void> {
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  find<HTMLAnchorElement>("open-in-tab").href = `?tab=${tab?.id ?? ""}`;
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
for (const id of ["open-options", "first-options"])
  find(id).addEventListener("click", () => chrome.runtime.openOptionsPage());
addEventListener("pagehide", list.flush);
chrome.storage.onChanged.addListener(() => void showSettings().then(showCounts));

const late = setTimeout(() => {
  trouble.textContent = "Uploads can't be started at the moment. Close the browser and open it again.";
}, START);
await Promise.all([showSettings(), showList()]);
showCounts();
void linkToTab();
await line.connect();
clearTimeout(late);
