/**
 * Uploads of the built extension against a store that a real service runs, drawn and judged as those of core: several
 * rows of one browser at a time, except where the browser is killed.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import { writeContent } from "../content.ts";
import { type Lab, openLab, videoFolder } from "../faults/lab.ts";
import {
  AWAY,
  breaking,
  type Draw,
  drawUpload,
  IN_A_BROWSER,
  inWords,
  reached,
  type StoreUpload,
  type Video,
  wrongAbout,
} from "../faults/stores.ts";
import { scratchFolder } from "../scratch.ts";
import type { StoreName } from "../service/stores.ts";
import { choose, clearList, drop, handOverOwn, rowOf, setUp } from "./actions.ts";
import { type Extension, type LoadOptions, loadExtension } from "./extension.ts";

export interface ExtensionRun {
  store: StoreName;
  count: number;
  seed: number;
  /** The first upload's number. */
  first: number;
  /** The folder of the built extension. @default that of this checkout */
  folder?: string;
  /** Is told of each upload that was wrong or ended in an error. */
  say(line: string): void;
}

/** A service, and a browser whose extension is set up for it. */
interface Place {
  lab: Lab;
  extension: Extension;
  /** How the browser is started, again as well. */
  start: LoadOptions;
}

interface Chosen extends Video {
  name: string;
  draw: Draw;
}

interface Row {
  name: string;
  state: string;
  words: string;
  asksForFile: boolean;
}

const MOST_ROWS = 4;
const UPLOAD_TIMEOUT = 420_000;

/** Carries out the uploads of a run, in two browsers at a time. */
export async function uploadByExtension(run: ExtensionRun): Promise<StoreUpload[]> {
  const uploads: StoreUpload[] = [];
  const groups = groupsOf(run);
  const workers = Array.from({ length: 2 }, async () => {
    const lab = await openLab({}, { store: run.store });
    const profile = await scratchFolder("profile");
    const start = { userDataDir: profile.path, ...(run.folder !== undefined && { folder: run.folder }) };
    const place: Place = { lab, start, extension: await openExtension(lab, start) };
    try {
      for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
        const done = await uploadGroup(place, group);
        uploads.push(...done);
        for (const each of done)
          if (each.wrong !== undefined || each.errors.length > 0) run.say(inWords(each));
        await clearList(place.extension);
        await lab.reset();
      }
    } finally {
      await place.extension.close();
      await lab.close();
      await profile.remove();
    }
  });
  await Promise.all(workers);
  return uploads;
}

/** What goes on in one browser at the same time: uploads of one latency and condition. */
function groupsOf({ count, seed, first }: ExtensionRun): Draw[][] {
  const groups: Draw[][] = [];
  const filling = new Map<string, Draw[]>();
  for (let number = first; number < first + count; number++) {
    const draw = drawUpload(seed, number, IN_A_BROWSER);
    const kind = `${draw.condition} ${draw.latency}`;
    const group = filling.get(kind);
    if (draw.condition !== "killed" && group !== undefined && group.length < MOST_ROWS) group.push(draw);
    else {
      const begun = [draw];
      groups.push(begun);
      filling.set(kind, begun);
    }
  }
  return groups;
}

async function openExtension(lab: Lab, start: LoadOptions): Promise<Extension> {
  const extension = await loadExtension({ ...start, firstRun: true });
  await setUp(extension, lab, async (options) => {
    await options.getByLabel("Review before uploading").uncheck();
    await options.getByLabel("Uploads at a time").fill(`${MOST_ROWS}`);
  });
  return extension;
}

async function uploadGroup(place: Place, group: Draw[]): Promise<StoreUpload[]> {
  const { lab } = place;
  const [{ latency, condition, storeSeed, random }] = group as [Draw];
  const folder = await videoFolder();
  const chosen: Chosen[] = [];
  for (const draw of group) {
    const name = `video-${draw.number}.mp4`;
    const path = join(folder.path, name);
    chosen.push({ name, path, draw, sha256: await writeContent(path, draw.size, draw.number) });
  }
  const began = Date.now();
  try {
    await lab.service.set({ storeLatency: [...latency], storeSeed });
    if (condition === "breaks") lab.upload.choose = breaking(lab.upload, random);
    const popup = await place.extension.open("popup.html?tab=1");
    const give = condition === "killed" ? drawGiving(random) : choosing;
    await give(popup, chosen);
    const watched = watch(popup, chosen, false);
    const size = group.reduce((all, draw) => all + draw.size, 0);
    let rows: Row[] | undefined;
    const strikes = condition === "store away" || condition === "killed";
    const struck = strikes && (await reached(lab.upload, size, random, watched));
    if (struck && condition === "store away") await lab.service.set({ storeAway: AWAY });
    if (struck && condition === "killed") {
      await kill(place.extension);
      await watched;
      place.extension = await loadExtension(place.start);
      // The browser stores what was allowed seconds later.
      await place.extension.allow(`http://${new URL(lab.baseUrl).hostname}/*`);
      rows = await watch(await place.extension.open("popup.html"), chosen, true);
    }
    rows ??= await watched;
    const breaks = lab.upload.faults + (struck ? 1 : 0);
    const seconds = (Date.now() - began) / 1000;
    const assets = await lab.service.assets();
    const judgements = chosen.map(async ({ name, sha256, draw }, index): Promise<StoreUpload> => {
      const { number, size } = draw;
      const row = rows.find((each) => each.name === name);
      const ids = assets.flatMap(({ asset }) => (asset.name === name ? [asset.id] : []));
      const whole = row?.state === "done";
      const content = whole ? await wrongAbout(lab.service, ids[0] ?? "", sha256, size) : undefined;
      const wrong = content ?? (whole && ids.length !== 1 ? `${ids.length} assets` : undefined);
      return {
        ...{ number, size, latency, condition, wrong },
        errors: whole ? [] : [row === undefined ? "no row" : `${row.state}: ${row.words}`],
        breaks: index === 0 ? breaks : 0,
        seconds: index === 0 ? seconds : 0,
      };
    });
    return await Promise.all(judgements);
  } finally {
    await folder.remove();
  }
}

type Give = (popup: Page, chosen: Chosen[]) => Promise<void>;

const choosing: Give = (popup, chosen) => choose(popup, ...chosen.map(({ path }) => path));

/** Chosen, dropped, or with a handle that needs no permission: each goes on in another way in the next browser. */
const GIVINGS: readonly Give[] = [
  choosing,
  async (popup, chosen) => {
    for (const { path } of chosen) await drop(popup, path);
  },
  async (popup, chosen) => {
    for (const { path, name } of chosen) await handOverOwn(popup, path, name);
  },
];

function drawGiving(random: () => number): Give {
  return GIVINGS[Math.floor(random() * GIVINGS.length)] ?? choosing;
}

/** Ends the browser's own process at once, as a power cut does; its others end when they notice. */
async function kill({ browser, context }: Extension): Promise<void> {
  const { processInfo } = await browser.send("SystemInfo.getProcessInfo");
  const main = processInfo.find(({ type }) => type === "browser");
  if (main === undefined) throw new Error("the browser doesn't tell its process");
  const closed = new Promise((resolve) => context.once("close", resolve));
  process.kill(main.id, "SIGKILL");
  await closed;
}

const ENDS = ["done", "failed", "asset-unknown", "cancelled"];

/** Waits until every row has come to an end, choosing files again where rows ask for them; or until the page goes. */
async function watch(popup: Page, chosen: readonly Chosen[], chooses: boolean): Promise<Row[]> {
  let rows: Row[] = [];
  const given = new Set<string>();
  try {
    for (const deadline = Date.now() + UPLOAD_TIMEOUT; Date.now() < deadline; await delay(200)) {
      rows = await readRows(popup);
      for (const { name, asksForFile } of rows) {
        const file = chosen.find((each) => each.name === name);
        if (!chooses || !asksForFile || given.has(name) || file === undefined) continue;
        const chooser = popup.waitForEvent("filechooser");
        await rowOf(popup, name).getByRole("button", { name: "Choose file…" }).click();
        await (await chooser).setFiles(file.path);
        given.add(name);
      }
      if (rows.length === chosen.length && rows.every(({ state }) => ENDS.includes(state))) return rows;
    }
  } catch (error) {
    // A browser that was killed is told of a moment later.
    await delay(1000);
    if (!popup.isClosed()) throw error;
  }
  return rows;
}

function readRows(popup: Page): Promise<Row[]> {
  return popup.evaluate(() =>
    [...document.querySelectorAll("#list > li")].map((row) => {
      const [name, line, rest] = ["h3", ".state", ".rest"].map((part) => row.querySelector(part));
      return {
        name: name?.textContent ?? "",
        state: line?.className.replace("state", "").trim() ?? "",
        words: `${line?.textContent ?? ""} ${rest?.textContent ?? ""}`.replace(/\s+/g, " ").trim(),
        asksForFile: row.querySelector("input[type=file]") !== null,
      };
    }),
  );
}
