/** Chromium: the offscreen document of the built extension beside others in an offscreen document of theirs. */
import { startBrowser } from "./browser.ts";
import { type Bar, bars } from "./chart.ts";
import { GiB, MiB, sized } from "./films.ts";
import type { Bench } from "./part.ts";
import { cpuOf, growthDuring } from "./processes.ts";
import { atMost, type Section, shown } from "./report.ts";
import { interleave, type Measured, ratioOf, type Spread, spread, spreadOf } from "./rounds.ts";
import { startSink } from "./sinks.ts";

export async function chromium({ quick, films }: Bench): Promise<Section> {
  const film = await films.of(quick ? 128 * MiB : GiB);
  const rounds = quick ? 2 : 5;
  const sparse = quick ? [GiB] : [4 * GiB, 16 * GiB];
  const sink = await startSink({ checked: true });
  const browser = await startBrowser(sink);
  const { profile, clients } = browser;

  for (const client of clients) {
    const id = await client.upload(sink, film.path);
    if ((await sink.sha256(id)) !== film.sha256)
      throw new Error(`what arrived from ${client.name} isn't the film`);
  }
  await sink.check(false);
  const measured = await interleave(
    clients.map(({ name, upload }) => ({
      name,
      async run() {
        const before = await cpuOf(profile);
        const id = await upload(sink, film.path);
        await sink.expectBytes(id, film.size);
        const { milliseconds } = await sink.received(id);
        return { seconds: milliseconds / 1000, cpu: (await cpuOf(profile)) - before };
      },
    })),
    rounds,
  );
  const [xhr, ours] = measured;
  if (xhr === undefined || ours === undefined) throw new Error("nothing was measured");

  const cpu = (each: Measured) => spreadOf(each, "cpu").median;
  const least = Math.min(...measured.filter((each) => each !== xhr && each !== ours).map(cpu));

  const grown: Record<string, number[]> = {};
  for (const { name, upload } of clients) {
    const growth = await growthDuring(profile, () => upload(sink, film.path));
    console.log(`  ${name}: ${growth.toFixed(0)} MiB more for ${sized(film.size)}`);
    grown[name] = [growth];
  }
  const largest: string[] = [];
  for (const size of sparse) {
    const path = await films.sparse(size);
    const growth = await growthDuring(profile, async () => {
      const id = await clients.find(({ name }) => name === "Upcut")?.upload(sink, path);
      await sink.expectBytes(id ?? "", size);
    });
    console.log(`  Upcut: ${growth.toFixed(0)} MiB more for ${sized(size)}`);
    grown.Upcut?.push(growth);
    largest.push(`${sized(size)}: ${growth.toFixed(0)}`);
  }
  await browser.close();
  await sink.close();

  return {
    title: "Chromium",
    how:
      `${sized(film.size)} to the discard sink from an offscreen document each, ${rounds} rounds. The time is the sink's: ` +
      "from the first request for the bytes to the last answer. Upcut is the built extension, started in its popup, " +
      "which is closed then; its CPU seconds include that popup. Memory is what all processes of the browser together " +
      "hold at most above what they held before, shared pages counted once.",
    tables: [
      {
        columns: ["", `× ${xhr.name}`, "s", "CPU-s per GiB", "MiB more"],
        rows: measured.map((each) => [
          each.name,
          shown(ratioOf(each, xhr, "seconds")),
          shown(spreadOf(each, "seconds")),
          (spreadOf(each, "cpu").median * (GiB / film.size)).toFixed(2),
          `${grown[each.name]?.[0]?.toFixed(0)}${each === ours ? ` (${largest.join(", ")})` : ""}`,
        ]),
      },
    ],
    verdicts: [
      atMost(
        "Upcut in Chromium, time to the discard sink",
        ratioOf(ours, xhr, "seconds"),
        1,
        ` × ${xhr.name}`,
      ),
      {
        what: "Upcut in Chromium, CPU seconds to the discard sink",
        target: "below every other uploader's",
        measured: `${(cpu(ours) / least).toFixed(2)} × the least of theirs`,
        met: cpu(ours) < least,
      },
      atMost("Memory above before in Chromium, files of any size", worst(grown.Upcut ?? []), 20, " MiB", 0),
    ],
    charts: {
      "chromium.svg": bars(
        `${sized(film.size)} from Chromium to a discard sink: time as a multiple of a plain XHR PUT's`,
        measured.map((each): Bar => {
          const { median: value, ...range } = ratioOf(each, xhr, "seconds");
          return { label: each.name, value, ...range, ours: each === ours };
        }),
        " ×",
      ),
    },
  };
}

/** Of memory the most counts, not the median. */
function worst(values: readonly number[]): Spread {
  const all = spread(values);
  return { ...all, median: all.most };
}
