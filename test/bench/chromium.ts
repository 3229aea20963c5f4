/** Chromium: the offscreen document of the built extension beside others in an offscreen document of theirs. */
import { type Browser, startBrowser } from "./browser.ts";
import { type Bar, bars } from "./chart.ts";
import type { Bench } from "./part.ts";
import { cpuOf, growthDuring } from "./processes.ts";
import { atMost, type Section, shown, type Table, type Verdict } from "./report.ts";
import { interleave, type Measured, ratioOf, type Spread, spread, spreadOf } from "./rounds.ts";
import { type Sink, startService, startSink } from "./sinks.ts";
import { GiB, MiB, sized, type Video } from "./videos.ts";

const OURS = "Upcut";
const XHR = "a plain XHR PUT";
const PATCH = "a plain XHR PATCH";
const PARTS = "XHR PATCHes of 8 MiB";

export async function chromium({ quick, videos }: Bench): Promise<Section> {
  const video = await videos.of(quick ? 128 * MiB : GiB);
  const rounds = quick ? 2 : 5;
  const all = [OURS, XHR, PARTS, "tus-js-client", "Uppy", "UpChunk"];
  await checkHashes(startSink, all, video);
  await checkHashes(startService, [OURS, XHR, PATCH, PARTS], video);

  const sink = await startSink();
  const browser = await startBrowser(sink);
  const discarded = await measure(browser, sink, all, video, rounds);
  const grown: Record<string, number> = {};
  for (const { name, upload } of browser.clients.filter(
    (each) => all.includes(each.name) && each.name !== OURS,
  )) {
    grown[name] = await growthDuring(browser.profile, () => upload(video.path));
    console.log(`  ${name}: ${grown[name]?.toFixed(0)} MiB more for ${sized(video.size)}`);
  }
  const own: [number, number][] = [];
  const popup = await browser.openPopup();
  for (const size of quick ? [video.size, GiB] : [video.size, 4 * GiB, 16 * GiB]) {
    const path = size === video.size ? video.path : await videos.sparse(size);
    const growth = await growthDuring(browser.profile, async () => {
      const { id } = await popup.upload(path);
      await sink.expectBytes(id, size);
    });
    console.log(`  ${OURS}: ${growth.toFixed(0)} MiB more for ${sized(size)}`);
    own.push([size, growth]);
  }
  await popup.close();
  await browser.close();
  await sink.close();

  const service = await startService();
  const second = await startBrowser(service);
  const served = await measure(second, service, [XHR, PATCH, PARTS, OURS], video, quick ? 1 : 3);
  await second.close();
  await service.close();

  const more = (name: string) =>
    name === OURS
      ? own.map(([size, growth]) => `${sized(size)}: ${growth.toFixed(0)}`).join("; ")
      : `${grown[name]?.toFixed(0)}`;
  return {
    title: "Chromium",
    how:
      `${sized(video.size)} from an offscreen document each, ${rounds} rounds. The time is the client's own, from its call to ` +
      "its end; Upcut's includes asking for the location. Upcut is the built extension, started in its popup, which is closed " +
      "then; its CPU seconds include that popup. Memory is what all processes of the browser together hold at most " +
      "above what they held before, shared pages counted once; there Upcut's popup is open all the time. On the local service Upcut's resumable upload passes its tus server, so it stands beside one PATCH. " +
      "A browser may send a request again by itself while a store still takes parts of it, so Upcut sends 8 MiB at a time: the PATCHes of 8 MiB " +
      "are a bare script that does the same and neither asks for a location nor shows anything; the other clients send all in one request, but UpChunk. " +
      "Every client sent the same file once more, untimed, to be " +
      "hashed on arrival. The api.video uploader speaks https alone, and no client here pays for encryption.",
    tables: [
      tableOf("discard sink", discarded, XHR, video, more),
      tableOf("local service", served, PATCH, video),
    ],
    verdicts: [
      compared("discard sink", discarded, XHR),
      compared("discard sink", discarded, PARTS),
      compared("local service", served, PATCH),
      compared("local service", served, PARTS),
      cpuVerdict(discarded),
      atMost(
        "Memory above before in Chromium, files of any size",
        worst(own.map(([, growth]) => growth)),
        20,
        " MiB",
        0,
      ),
    ],
    charts: {
      "chromium.svg": bars(
        `${sized(video.size)} from Chromium to a discard sink: time as a multiple of a plain XHR PUT's`,
        discarded.map((each): Bar => {
          const { median: value, ...range } = ratioOf(each, find(discarded, XHR), "seconds");
          return { label: each.name, value, ...range, ours: each.name === OURS };
        }),
        " ×",
      ),
    },
  };
}

async function checkHashes(
  start: (options: { checked: boolean }) => Promise<Sink>,
  names: readonly string[],
  video: Video,
): Promise<void> {
  const sink = await start({ checked: true });
  const browser = await startBrowser(sink);
  for (const name of names) {
    const { id } = await clientOf(browser, name).upload(video.path);
    const arrived = await sink.sha256(id);
    if (arrived !== video.sha256)
      throw new Error(`${name}: what arrived at the ${sink.name} isn't the video`);
    await sink.expectBytes(id, video.size);
  }
  await browser.close();
  await sink.close();
}

async function measure(
  browser: Browser,
  sink: Sink,
  names: readonly string[],
  video: Video,
  rounds: number,
): Promise<Measured[]> {
  console.log(`${sized(video.size)} to the ${sink.name}`);
  return await interleave(
    names.map((name) => ({
      name,
      async run() {
        const before = await cpuOf(browser.profile);
        const { id, seconds } = await clientOf(browser, name).upload(video.path);
        await sink.expectBytes(id, video.size);
        return { seconds, cpu: (await cpuOf(browser.profile)) - before };
      },
    })),
    rounds,
  );
}

function clientOf({ clients }: Browser, name: string): Browser["clients"][number] {
  const found = clients.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no client ${name}`);
  return found;
}

function find(all: readonly Measured[], name: string): Measured {
  const found = all.find((each) => each.name === name);
  if (found === undefined) throw new Error(`nothing was measured of ${name}`);
  return found;
}

function tableOf(
  where: string,
  measured: readonly Measured[],
  base: string,
  video: Video,
  more?: (name: string) => string,
): Table {
  return {
    columns: [where, `× ${base}`, "s", "CPU-s per GiB", ...(more ? ["MiB more"] : [])],
    rows: measured.map((each) => [
      each.name,
      shown(ratioOf(each, find(measured, base), "seconds")),
      shown(spreadOf(each, "seconds")),
      (spreadOf(each, "cpu").median * (GiB / video.size)).toFixed(2),
      ...(more ? [more(each.name)] : []),
    ]),
  };
}

function compared(where: string, measured: readonly Measured[], base: string): Verdict {
  const ratio = ratioOf(find(measured, OURS), find(measured, base), "seconds");
  return atMost(`Upcut in Chromium, time to the ${where}`, ratio, 1, ` × ${base}`);
}

function cpuVerdict(measured: readonly Measured[]): Verdict {
  const cpu = (each: Measured) => spreadOf(each, "cpu").median;
  const least = Math.min(...measured.filter(({ name }) => ![OURS, XHR, PARTS].includes(name)).map(cpu));
  const own = cpu(find(measured, OURS));
  return {
    what: "Upcut in Chromium, CPU seconds to the discard sink",
    target: "below every other uploader's",
    measured: `${(own / least).toFixed(2)} × the least of theirs`,
    met: own < least,
  };
}

/** Of memory the most counts, not the median. */
function worst(values: readonly number[]): Spread {
  const all = spread(values);
  return { ...all, median: all.most };
}
