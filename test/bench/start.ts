/** How soon the popup shows itself, and the background answers, beside an extension that does nothing. */
import { join } from "node:path";
import { setUp } from "../e2e/actions.ts";
import { loadExtension } from "../e2e/extension.ts";
import { idOf } from "../e2e/granted.ts";
import { makeExtension } from "./browser.ts";
import { atMost, type Bench, type Section, shown } from "./report.ts";
import { find, interleave, ratioOf, spreadOf } from "./rounds.ts";
import { startSink } from "./sinks.ts";

const EMPTY_PAGE = "an empty page of an extension";
const POPUP = "the popup";
const EMPTY_WORKER = "an empty background";
const BACKGROUND = "the background, asked for the settings";

export async function start({ quick, videos }: Bench): Promise<Section> {
  const rounds = quick ? 3 : 15;
  const sink = await startSink();
  const folder = join(videos.folder, "empty-extension");
  const manifest = { background: { service_worker: "worker.js", type: "module" } };
  await makeExtension(folder, "Empty", manifest, {
    "worker.js": "chrome.runtime.onMessage.addListener((message, sender, reply) => reply(message))",
    "page.html": "<!doctype html><title>Empty</title><p>Empty",
  });
  const extension = await loadExtension({ beside: [folder] });
  await setUp(extension, sink);
  const empty = `chrome-extension://${idOf(folder)}/page.html`;
  const ours = `chrome-extension://${extension.id}`;

  const paint = (name: string, address: string) => ({
    name,
    async run() {
      const page = await extension.context.newPage();
      await page.goto(address);
      const milliseconds = await page.evaluate(firstPaint);
      await page.close();
      return { milliseconds };
    },
  });
  const wake = (name: string, address: string, message: object) => ({
    name,
    async run() {
      const page = await extension.context.newPage();
      await page.goto(address);
      const session = await extension.context.newCDPSession(page);
      await session.send("ServiceWorker.enable");
      await session.send("ServiceWorker.stopAllWorkers");
      await session.detach();
      const milliseconds = await page.evaluate(askForAnswer, message);
      await page.close();
      return { milliseconds };
    },
  });
  const settings = { to: "background", type: "read-settings" };
  const all = [
    ...(await interleave([paint(EMPTY_PAGE, empty), paint(POPUP, `${ours}/popup.html`)], rounds)),
    // A page that asks nothing by itself.
    ...(await interleave(
      [wake(EMPTY_WORKER, empty, {}), wake(BACKGROUND, `${ours}/icon/upcut.svg`, settings)],
      rounds,
    )),
  ];
  await extension.close();
  await sink.close();

  const ratio = (name: string, base: string) => ratioOf(find(all, name), find(all, base), "milliseconds");
  const rows = [
    [EMPTY_PAGE, EMPTY_PAGE],
    [POPUP, EMPTY_PAGE],
    [EMPTY_WORKER, EMPTY_WORKER],
    [BACKGROUND, EMPTY_WORKER],
  ].map(([name = "", base = ""]) => [
    name,
    shown(spreadOf(find(all, name), "milliseconds"), 0),
    shown(ratio(name, base)),
  ]);
  return {
    title: "Start",
    how:
      `${rounds} rounds in one browser, turn about. First paint is the browser's own first contentful paint, from ` +
      "navigation on. A wake-up runs from a page's message to its answer after all workers were stopped.",
    tables: [{ columns: ["", "ms", "× the empty one"], rows }],
    verdicts: [
      atMost("Popup to first paint", ratio(POPUP, EMPTY_PAGE), 2, " × an empty page"),
      atMost("Background from wake-up to answer", ratio(BACKGROUND, EMPTY_WORKER), 2, " × an empty one"),
    ],
  };
}

async function firstPaint(): Promise<number> {
  for (;;) {
    const found = performance.getEntriesByName("first-contentful-paint")[0];
    if (found !== undefined) return found.startTime;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function askForAnswer(message: object): Promise<number> {
  const began = performance.now();
  await chrome.runtime.sendMessage(message);
  return performance.now() - began;
}
