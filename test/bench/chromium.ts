/** Chromium: the offscreen document of the built extension beside others in an offscreen document of theirs. */
import { type Browser, PEERS, startBrowser } from "./browser.ts";
import type { Client } from "./clients.ts";
import { measureAt } from "./measure-at.ts";
import { growthDuring } from "./processes.ts";
import { atMost, atMostTimes, type Bench, COST_OF_SAFETY, type Section, tableBeside } from "./report.ts";
import { type Measured, spread, spreadOf } from "./rounds.ts";
import { type Sink, startService, startSink } from "./sinks.ts";
import { GiB, MiB, sized } from "./videos.ts";

const OURS = "Upcut";
const { xhr: XHR, patch: PATCH, parts: PARTS } = PEERS;
const UPLOADERS = [PEERS.tus, PEERS.uppy, PEERS.upchunk];

export async function chromium({ quick, videos }: Bench): Promise<Section> {
  const video = await videos.of(quick ? 128 * MiB : GiB);
  const rounds = quick ? 2 : 5;
  const base = quick ? undefined : XHR;
  /** What the browser takes more than before, by client. */
  const grown: Record<string, string> = {};
  let most = 0;
  const discarded = await measureAt(
    startSink,
    openClients([OURS, XHR, PARTS, ...UPLOADERS]),
    video,
    { rounds, base },
    async ({ browser }, sink) => {
      for (const name of [XHR, PARTS, ...UPLOADERS]) {
        const growth = await growthDuring(browser.profile, () => clientOf(browser, name)(video.path));
        grown[name] = growth.toFixed(0);
        console.log(`  ${name}: ${grown[name]} MiB more for ${sized(video.size)}`);
      }
      const popup = await browser.openPopup();
      const own: string[] = [];
      for (const size of quick ? [video.size, GiB] : [video.size, 4 * GiB, 16 * GiB]) {
        const { path } = size === video.size ? video : await videos.sparse(size);
        const growth = await growthDuring(browser.profile, async () => {
          const { id } = await popup.upload(path);
          await sink.expectBytes(id, size);
        });
        most = Math.max(most, growth);
        own.push(`${sized(size)}: ${growth.toFixed(0)}`);
        console.log(`  ${OURS}: ${growth.toFixed(0)} MiB more for ${sized(size)}`);
      }
      await popup.close();
      grown[OURS] = own.join("; ");
    },
  );
  const served = await measureAt(startService, openClients([XHR, PATCH, PARTS, OURS]), video, {
    rounds: quick ? 1 : 3,
    base,
  });

  const cpu = {
    "CPU-s per GiB": (each: Measured) => (spreadOf(each, "cpu").median * (GiB / video.size)).toFixed(2),
  };
  const compared = (where: string, all: readonly Measured[]) =>
    Object.entries({ time: "seconds", "CPU seconds": "cpu" }).map(([words, figure]) =>
      atMostTimes(`Upcut in Chromium, ${words} to the ${where}`, all, [OURS, PARTS], 1.05, figure),
    );
  return {
    title: "Chromium",
    how:
      `${sized(video.size)} from an offscreen document each, ${rounds} rounds. The time is the client's own, from its call to ` +
      "its end; Upcut's includes asking for the location. Upcut is the built extension, started in its popup, which is closed " +
      "then; its CPU seconds include that popup. Memory is what all processes of the browser together hold at most " +
      "above what they held before, shared pages counted once; there Upcut's popup is open all the time. On the local service Upcut's resumable upload passes its tus server, so it stands beside one PATCH. " +
      `A bare script sends PATCHes of 8 MiB as Upcut does, and neither asks for a location nor shows anything: ${COST_OF_SAFETY}. ` +
      "The other clients send all in one request, but UpChunk. " +
      "Every client sent the same file once more, untimed, to be " +
      "hashed on arrival. The api.video uploader speaks https alone, and no client here pays for encryption.",
    tables: [
      tableBeside("discard sink", discarded, XHR, { ...cpu, "MiB more": ({ name }) => grown[name] ?? "" }),
      tableBeside("local service", served, PATCH, cpu),
    ],
    verdicts: [
      ...compared("discard sink", discarded),
      ...compared("local service", served),
      // The most counts, not the median.
      atMost("Memory above before in Chromium, files of any size", spread([most]), 20, " MiB", 0),
    ],
  };
}

/** The clients of a browser, which is started for a sink. */
function openClients(names: readonly string[]) {
  return async (sink: Sink) => {
    const browser = await startBrowser(sink);
    const clients = names.map((name): Client => {
      return { name, upload: (_, path) => clientOf(browser, name)(path) };
    });
    return { browser, clients, close: browser.close };
  };
}

export function clientOf({ clients }: Browser, name: string): Browser["clients"][string] {
  const found = clients[name];
  if (found === undefined) throw new Error(`there is no client ${name}`);
  return found;
}
