/** Many small files at once: by a script, the command line and the extension, each beside a bare loop. */
import { link, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { changeOptions } from "../e2e/actions.ts";
import { type Browser, startBrowser } from "./browser.ts";
import { runPlan } from "./clients.ts";
import { measure } from "./measure.ts";
import { atMost, atMostTimes, type Bench, type Section, shown } from "./report.ts";
import { type Figures, find, interleave, ratioOf, spreadOf } from "./rounds.ts";
import { LONG, longestTask, observeTasks } from "./scale.ts";
import type { Received } from "./sink.ts";
import { type DiscardSink, ROOT, startLine, startSink } from "./sinks.ts";
import { KiB, sized, type Video, type Videos } from "./videos.ts";

const SIZE = 100 * KiB;
const AT_A_TIME = 4;
/** Each beside the same requests from the same kind of process. */
const PAIRS: [name: string, base: string][] = [
  ["uploadAll in Node", "a loop in Node"],
  ["the command line", "a script"],
  ["the extension", "a loop in a page"],
];

/** Files in a folder of their own, under names that nobody has seen, and what arrived since. */
interface Fresh {
  folder: string;
  paths: string[];
  arrived(): Promise<Received[]>;
}

export async function small({ quick, videos }: Bench): Promise<Section> {
  const sink = await startSink({ checked: true });
  const line = await startLine(sink.baseUrl);
  const rounds = quick ? 1 : 5;
  const files: Video[] = [];
  for (let index = 0; index < (quick ? 40 : 300); index++) files.push(await videos.of(SIZE + index));
  const some = files.slice(0, quick ? 12 : 100);
  const section: Section = { title: "Small files", how: howFor(some.length), tables: [], verdicts: [] };
  const { tables, verdicts } = section;
  for (const [place, { origin }] of [
    ["locally", { origin: sink.baseUrl }],
    ["over a long line", line],
  ] as const) {
    console.log(place);
    const at = { ...sink, baseUrl: origin };
    const browser = await startBrowser(at);
    await changeOptions(browser.extension, async (options) => {
      await options.getByLabel("Uploads at a time").fill(`${AT_A_TIME}`);
      await options.getByLabel("Review before uploading").uncheck();
    });
    const ways = Object.entries(waysTo(at, browser, videos, files));
    const all = await interleave(
      ways.map(([name, run]) => ({ name, run: () => send(at, videos, some, run) })),
      rounds,
      quick ? undefined : "a loop in Node",
    );
    tables.push({
      columns: [place, "× the bare loop", "s", "s of the bare loop"],
      rows: PAIRS.map(([name, base]) => {
        const [ours, bare] = [find(all, name), find(all, base)];
        const seconds = [ours, bare].map((each) => shown(spreadOf(each, "seconds")));
        return [name, shown(ratioOf(ours, bare, "seconds")), ...seconds];
      }),
    });
    for (const pair of PAIRS)
      verdicts.push(atMostTimes(`Small files by ${pair[0]}, ${place}`, all, pair, 1.15));
    if (place === "locally") {
      const run = () => send(at, videos, files, (fresh) => choose(browser, fresh));
      const chosen = find(await interleave([{ name: "chosen", run }], rounds), "chosen");
      const what = `${files.length} files chosen at once`;
      verdicts.push(
        atMost(`${what}, listed`, spreadOf(chosen, "listed"), 0.3, " s"),
        atMost(`${what}, from the start to the first byte`, spreadOf(chosen, "first byte"), 0.5, " s"),
        atMost(`${what}, longest task of the popup`, spreadOf(chosen, "longest"), LONG, " ms", 0),
      );
    }
    await browser.close();
  }
  await Promise.all([line.close(), sink.close()]);
  return section;
}

function howFor(count: number): string {
  return (
    `${count} files of ${sized(SIZE)}, ${AT_A_TIME} at a time, to the discard sink, where each is hashed; over the line ` +
    "requests for locations go as well. A bare loop asks for a location and sends the file by a PUT, and nothing else. " +
    "In Node both have uploaded one file before; the command line gets the folder and stands beside a script, with the start " +
    "of both. In the extension it is the time from the choice to the end of the last one in the popup, " +
    "less that until Start now was clicked."
  );
}

function waysTo(sink: DiscardSink, browser: Browser, videos: Videos, files: readonly Video[]) {
  const filesIn = (folder: string) => [{ folder, concurrency: AT_A_TIME }];
  const inNode = async (client: "many" | "loop", { folder }: Fresh, isWarm: boolean) => {
    const warmUp = isWarm ? filesIn(await folderOf(videos, files.slice(-1))) : [];
    return (await runPlan("node", sink, { client, from: filesIn(folder), warmUp })).figures;
  };
  const account = [`UPCUT_URL=${sink.baseUrl}`, `UPCUT_TOKEN=${sink.token}`];
  const upload = ["node", join(ROOT, "dist/cli/main.js"), "upload"];
  return {
    "a loop in Node": (fresh: Fresh) => inNode("loop", fresh, true),
    "uploadAll in Node": (fresh: Fresh) => inNode("many", fresh, true),
    "a script": async (fresh: Fresh) => ({ seconds: (await inNode("loop", fresh, false)).whole }),
    "the command line": async ({ folder }: Fresh) => ({
      seconds: (await measure(["env", ...account, ...upload, folder, "--journal", `${folder}-journal`]))
        .seconds,
    }),
    "a loop in a page": async ({ paths }: Fresh) => ({ seconds: await browser.loop(paths, AT_A_TIME) }),
    "the extension": (fresh: Fresh) => choose(browser, fresh),
  };
}

async function folderOf(videos: Videos, files: readonly Video[]): Promise<string> {
  const folder = join(videos.folder, crypto.randomUUID());
  await mkdir(folder);
  for (const { path } of files) await link(path, join(folder, `${crypto.randomUUID()}.mp4`));
  return folder;
}

/** Fails unless each file arrives. */
async function send(
  sink: DiscardSink,
  videos: Videos,
  files: readonly Video[],
  run: (fresh: Fresh) => Promise<Figures>,
): Promise<Figures> {
  const folder = await folderOf(videos, files);
  const paths = (await readdir(folder)).map((name) => join(folder, name));
  const before = (await sink.all()).length;
  const arrived = async () => (await sink.all()).slice(before);
  const figures = await run({ folder, paths, arrived });
  const hashes = new Set((await arrived()).map(({ sha256 }) => sha256));
  if (!files.every(({ sha256 }) => hashes.has(sha256))) throw new Error("a small file didn't arrive");
  return figures;
}

/** Chooses files in the popup, and starts them before their grace is over. */
async function choose({ extension }: Browser, { paths, arrived }: Fresh): Promise<Figures> {
  const popup = await extension.open("popup.html");
  await popup.locator("#choose-videos:enabled").waitFor();
  await popup.evaluate(observeTasks);
  await popup.evaluate(noteTimes, paths.length);
  await popup.locator("#files").setInputFiles(paths);
  await popup.getByRole("button", { name: "Start now" }).click();
  await popup.waitForFunction(() => "ended" in (globalThis as unknown as Noted).times, null, {
    timeout: 300_000,
    // Asked at each frame, the popup would be measured with the question.
    polling: 100,
  });
  const longest = await longestTask(popup);
  const { times } = await popup.evaluate(() => ({ times: (globalThis as unknown as Noted).times }));
  await popup.getByRole("button", { name: "Clear finished" }).click();
  await popup.locator("#list").waitFor({ state: "detached" });
  await popup.close();
  const first = Math.min(...(await arrived()).map(({ firstAt = Number.NaN }) => firstAt));
  const listed = (times.listed - times.chosen) / 1000;
  const seconds = listed + (times.ended - times.started) / 1000;
  return { seconds, listed, "first byte": (first - times.started) / 1000, longest };
}

interface Noted {
  times: Record<"chosen" | "listed" | "started" | "ended", number>;
}

/** Runs in the popup, and keeps the first time of each. No function in it may have a name, which it wouldn't bring along. */
function noteTimes(count: number): void {
  const times: Partial<Noted["times"]> = {};
  Object.assign(globalThis, { times });
  addEventListener("change", () => Object.assign(times, { chosen: Date.now(), ...times }), true);
  addEventListener("click", () => Object.assign(times, { started: Date.now(), ...times }), true);
  new MutationObserver(() => {
    const grace = document.querySelector("#list > .grace h3")?.textContent ?? "";
    if (grace.includes(`${count}`)) times.listed ??= Date.now();
    const done = document.querySelectorAll("#list > [data-state=done]");
    if (done.length === count) times.ended ??= Date.now();
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ["data-state"] });
}
