/** Much at once: a long list, many files, many uploads of one process. */
import type { Page } from "playwright-core";
import { setUp } from "../e2e/actions.ts";
import { type Extension, loadExtension } from "../e2e/extension.ts";
import { makeJob } from "../entrypoints/pages/jobs.ts";
import { AT_A_TIME, manyUploads } from "./at-a-time.ts";
import { atMost, type Bench, type Section, shown, verdict } from "./report.ts";
import { find, interleave, type Measured, spreadOf } from "./rounds.ts";
import { type DiscardSink, startSink } from "./sinks.ts";
import { KiB, type Video, type Videos } from "./videos.ts";

const ENTRIES = 1000;
const QUEUED = 100;
/** What a browser calls a long task. */
const LONG = 50;

export async function scale({ quick, videos }: Bench): Promise<Section> {
  const sink = await startSink({ checked: true });
  const parallel = await manyUploads(sink, videos, quick);
  const extension = await loadExtension();
  await setUp(extension, sink);
  const queued = await queueFiles(extension, sink, videos);
  const list = await longList(extension, quick ? 2 : 7);
  await extension.close();
  await sink.close();
  return {
    title: "Scale",
    how:
      `A list of ${ENTRIES} uploads with pictures is opened and scrolled from end to end; the longest task of the page is ` +
      `told by the browser, which calls one long from ${LONG} ms on. ${QUEUED} files are chosen at once and started; each is ` +
      `hashed on arrival. ${AT_A_TIME} uploads at a time from one process stand beside one upload of as many bytes: to the ` +
      "discard sink, where the machine itself is the limit, for curl as well.",
    tables: [
      {
        columns: ["", "longest task, ms"],
        rows: [
          [`opening ${ENTRIES} entries`, shown(spreadOf(list, "opening"), 0)],
          [`scrolling through ${ENTRIES} entries`, shown(spreadOf(list, "scrolling"), 0)],
          [`scrolling through ${ENTRIES} empty boxes, for comparison`, shown(spreadOf(list, "control"), 0)],
          [`choosing and starting ${QUEUED} files`, queued.longest.toFixed(0)],
        ],
      },
      { columns: ["from one process", "s", "× one"], rows: parallel.rows },
    ],
    verdicts: [
      atMost(`Longest task while ${ENTRIES} entries open`, spreadOf(list, "opening"), LONG, " ms", 0),
      atMost(`Longest task while ${ENTRIES} entries scroll`, spreadOf(list, "scrolling"), LONG, " ms", 0),
      verdict(
        `${QUEUED} files chosen at once`,
        `${QUEUED} whole assets`,
        `${queued.whole} whole assets, all listed in ${queued.listed.toFixed(1)} s`,
        queued.whole === QUEUED,
      ),
      ...parallel.verdicts,
    ],
  };
}

async function queueFiles(
  extension: Extension,
  sink: DiscardSink,
  videos: Videos,
): Promise<{ longest: number; listed: number; whole: number }> {
  const files: Video[] = [];
  for (let index = 0; index < QUEUED; index++) files.push(await videos.of(100 * KiB + index));
  const popup = await extension.open("popup.html");
  await popup.locator("#choose-videos:enabled").waitFor();
  await popup.evaluate(observeTasks);
  const began = performance.now();
  await popup.locator("#files").setInputFiles(files.map(({ path }) => path));
  await popup.locator(`#list > li:nth-child(${QUEUED})`).waitFor({ state: "attached" });
  const listed = (performance.now() - began) / 1000;
  await popup.locator("#start-all").click();
  await popup.waitForFunction((count) => document.querySelectorAll(".state.done").length === count, QUEUED, {
    timeout: 120_000,
  });
  const arrived = new Set(await sink.hashes());
  const longest = await longestTask(popup);
  await popup.close();
  return { longest, listed, whole: files.filter(({ sha256 }) => arrived.has(sha256)).length };
}

/** The longest tasks in each round. */
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

function observeTasks(): void {
  const watched = globalThis as Watched;
  watched.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.longest = Math.max(watched.longest ?? 0, duration);
  }).observe({ type: "longtask", buffered: true });
}

/** The longest task since the last time it was asked for; 0 where none was long. */
async function longestTask(page: Page): Promise<number> {
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
