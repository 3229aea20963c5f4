/** How soon the popup shows itself, and the background answers, beside an extension that does nothing. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { setUp } from "../e2e/actions.ts";
import { loadExtension } from "../e2e/extension.ts";
import { idOf } from "./browser.ts";
import type { Bench } from "./part.ts";
import { atMost, type Section, shown } from "./report.ts";
import { interleave, ratioOf, spreadOf } from "./rounds.ts";
import { startSink } from "./sinks.ts";

const ANSWER = "chrome.runtime.onMessage.addListener((message, sender, reply) => reply(message))";

export async function start({ quick, videos }: Bench): Promise<Section> {
  const rounds = quick ? 3 : 15;
  const sink = await startSink();
  const folder = join(videos.folder, "empty-extension");
  const extension = await loadExtension({ beside: [await makeEmpty(folder)] });
  await setUp(extension, sink);
  const ours = `chrome-extension://${extension.id}`;
  const empty = `chrome-extension://${await idOf(folder)}`;

  const opened = async (address: string): Promise<Page> => {
    const page = await extension.context.newPage();
    await page.goto(address);
    return page;
  };
  const paint = async (address: string) => {
    const page = await opened(address);
    const milliseconds = await page.evaluate(firstPaint);
    await page.close();
    return { milliseconds };
  };
  const wake = async (address: string, message: object) => {
    const page = await opened(address);
    const session = await extension.context.newCDPSession(page);
    await session.send("ServiceWorker.enable");
    await session.send("ServiceWorker.stopAllWorkers");
    await session.detach();
    const milliseconds = await page.evaluate(askForAnswer, message);
    await page.close();
    return { milliseconds };
  };

  const paints = await interleave(
    [
      { name: "an empty page of an extension", run: () => paint(`${empty}/page.html`) },
      { name: "the popup", run: () => paint(`${ours}/popup.html`) },
    ],
    rounds,
  );
  const wakings = await interleave(
    [
      { name: "an empty background", run: () => wake(`${empty}/page.html`, {}) },
      {
        name: "the background, asked for the settings",
        // A page that asks nothing by itself.
        run: () => wake(`${ours}/icon/upcut.svg`, { to: "background", type: "read-settings" }),
      },
    ],
    rounds,
  );
  await extension.close();
  await sink.close();

  const [emptyPage, popup, emptyWorker, background] = [...paints, ...wakings];
  if (!emptyPage || !popup || !emptyWorker || !background) throw new Error("nothing was measured");
  return {
    title: "Start",
    how:
      `${rounds} rounds in one browser, turn about. First paint is the browser's own first contentful paint, from ` +
      "navigation on. A wake-up runs from a page's message to its answer after all workers were stopped.",
    tables: [
      {
        columns: ["", "ms", "× the empty one"],
        rows: [
          [emptyPage, emptyPage],
          [popup, emptyPage],
          [emptyWorker, emptyWorker],
          [background, emptyWorker],
        ].map(([each, base]) => [
          each?.name ?? "",
          each ? shown(spreadOf(each, "milliseconds"), 0) : "",
          each && base ? shown(ratioOf(each, base, "milliseconds")) : "",
        ]),
      },
    ],
    verdicts: [
      atMost("Popup to first paint", ratioOf(popup, emptyPage, "milliseconds"), 2, " × an empty page"),
      atMost(
        "Background from wake-up to answer",
        ratioOf(background, emptyWorker, "milliseconds"),
        2,
        " × an empty one",
      ),
    ],
    charts: {},
  };
}

async function makeEmpty(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const manifest = {
    manifest_version: 3,
    name: "Empty",
    version: "1",
    background: { service_worker: "worker.js", type: "module" },
  };
  await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "worker.js"), ANSWER);
  await writeFile(join(folder, "page.html"), "<!doctype html><title>Empty</title><p>Empty");
  return folder;
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
