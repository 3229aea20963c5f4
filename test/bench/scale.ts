/** Much at once: a long list, many uploads of one process. */
import type { Page } from "playwright-core";
import { setUp } from "../e2e/actions.ts";
import { type Extension, loadExtension } from "../e2e/extension.ts";
import { makeJob } from "../support/extension/pages/jobs.ts";
import { AT_A_TIME, manyUploads } from "./at-a-time.ts";
import { atMost, type Bench, type Section, shown } from "./report.ts";
import { find, interleave, type Measured, spreadOf } from "./rounds.ts";
import { startSink } from "./sinks.ts";

const ENTRIES = 1000;
/** Milliseconds from which on a browser calls a task long. */
export const LONG = 50;

export async function scale({ quick, videos }: Bench): Promise<Section> {
  const sink = await startSink({ checked: true });
  const parallel = await manyUploads(sink, videos, quick);
  const extension = await loadExtension();
  await setUp(extension, sink);
  const list = await longList(extension, quick ? 2 : 7);
  await extension.close();
  await sink.close();
  return {
    title: "Scale",
    how:
      `A list of ${ENTRIES} uploads with pictures is opened and scrolled from end to end; the longest task of the page is ` +
      `told by the browser, which calls one long from ${LONG} ms on. ${AT_A_TIME} uploads at a time from one process stand beside one upload of as many bytes: to the ` +
      "discard sink, where the machine itself is the limit, for curl as well.",
    tables: [
      {
        columns: ["", "longest task, ms"],
        rows: [
          [`opening ${ENTRIES} entries`, shown(spreadOf(list, "opening"), 0)],
          [`scrolling through ${ENTRIES} entries`, shown(spreadOf(list, "scrolling"), 0)],
          [`scrolling through ${ENTRIES} empty boxes, for comparison`, shown(spreadOf(list, "control"), 0)],
        ],
      },
      { columns: ["from one process", "s", "× one"], rows: parallel.rows },
    ],
    verdicts: [
      atMost(`Longest task while ${ENTRIES} entries open`, spreadOf(list, "opening"), LONG, " ms", 0),
      atMost(`Longest task while ${ENTRIES} entries scroll`, spreadOf(list, "scrolling"), LONG, " ms", 0),
      ...parallel.verdicts,
    ],
  };
}

async function longList(extension: Extension, rounds: number): Promise<Measured> {
  await fillList(extension);
  const run = async () => {
    const popup = await extension.context.newPage();
    await popup.addInitScript(observeTasks);
    await popup.goto(`chrome-extension://${extension.id}/popup.html`);
    await popup.locator(`#list > li:nth-child(${ENTRIES})`).waitFor({ state: "attached" });
    const opening = await longestTask(popup);
    await popup.evaluate(scrollThrough);
    const scrolling = await longestTask(popup);
    await popup.close();
    const boxes = await extension.context.newPage();
    await boxes.setContent('<div style="height: 84px"></div>'.repeat(ENTRIES));
    await boxes.evaluate(observeTasks);
    await boxes.evaluate(scrollThrough);
    const control = await longestTask(boxes);
    await boxes.close();
    return { opening, scrolling, control };
  };
  return find(await interleave([{ name: "a long list", run }], rounds), "a long list");
}

async function fillList(extension: Extension): Promise<void> {
  const popup = await extension.open("popup.html");
  // The uploads have made their store by then.
  await popup.locator("#choose-videos:enabled").waitFor();
  await popup.close();
  const page = await extension.open("options.html");
  const thumbnail = `data:image/jpeg;base64,${"A".repeat(4000)}`;
  const states = ["done", "done", "done", "done", "failed", "cancelled", "paused"] as const;
  const jobs = Array.from({ length: ENTRIES }, (_, index) => {
    const state = states[index % states.length] ?? "done";
    const asset = state === "done" && { asset: { id: `asset-${index}`, playbackId: "play" } };
    return makeJob(state, { thumbnail, ...asset });
  });
  await page.evaluate(async (all) => {
    await chrome.offscreen.closeDocument().catch(() => {});
    const open = indexedDB.open("upcut");
    const database = await new Promise<IDBDatabase>((resolve) => {
      open.onsuccess = () => resolve(open.result);
    });
    const writing = database.transaction("jobs", "readwrite");
    writing.objectStore("jobs").clear();
    for (const job of all) writing.objectStore("jobs").put(job);
    await new Promise((resolve) => {
      writing.oncomplete = resolve;
    });
    database.close();
  }, jobs);
  await page.close();
}

interface Watched {
  longest?: number;
}

/** Runs in a page. */
export function observeTasks(): void {
  const watched = globalThis as Watched;
  watched.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.longest = Math.max(watched.longest ?? 0, duration);
  }).observe({ type: "longtask", buffered: true });
}

/** The longest task since the last time it was asked for; 0 where none was long. */
export async function longestTask(page: Page): Promise<number> {
  return await page.evaluate(async () => {
    // Tasks are told a little later.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const watched = globalThis as Watched;
    const { longest = 0 } = watched;
    watched.longest = 0;
    return longest;
  });
}

async function scrollThrough(): Promise<void> {
  const list = document.scrollingElement ?? document.documentElement;
  for (let last = -1; list.scrollTop !== last; ) {
    last = list.scrollTop;
    list.scrollTop += 400;
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}
