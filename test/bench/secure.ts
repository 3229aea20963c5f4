/** Chromium to an upload host that encrypts, over HTTP/2 and over HTTP/1.1: core in a document beside others in it. */
import { type Browser, PEERS, startBrowser } from "./browser.ts";
import { clientOf } from "./chromium.ts";
import { growthDuring } from "./processes.ts";
import {
  atMost,
  atMostTimes,
  type Bench,
  type Section,
  type Table,
  tableBeside,
  type Verdict,
} from "./report.ts";
import { type Candidate, interleave, type Measured, spread, spreadOf } from "./rounds.ts";
import {
  BYTES_PER_SECOND,
  type DiscardSink,
  expectVideo,
  type Protocol,
  RTT,
  startLine,
  startSink,
} from "./sinks.ts";
import { GiB, MiB, sized, type Video } from "./videos.ts";

const { xhr: XHR, parts: PARTS, stream: STREAM, upcut: OURS } = PEERS;
/** The bare script of the requests that core sends. */
const SAME: Record<Protocol, string> = { h2: STREAM, "http/1.1": PARTS };
const TITLES: Record<Protocol, string> = { h2: "HTTP/2", "http/1.1": "HTTP/1.1" };

export async function secure({ quick, videos }: Bench): Promise<Section> {
  const local = await videos.of(quick ? 128 * MiB : GiB);
  const far = await videos.of((quick ? 20 : 100) * MiB);
  const tables: Table[] = [];
  const verdicts: Verdict[] = [];
  const base = quick ? undefined : XHR;
  for (const protocol of ["h2", "http/1.1"] as const) {
    const title = TITLES[protocol];
    const sink = await startSink({ checked: true, protocol });
    const origin = await sink.secureOrigin();
    const line = await startLine(origin);
    const browser = await startBrowser(sink);
    const clients = (video: Video, to: string) => candidates(browser, sink, protocol, video, to);
    console.log(`${title}, over the line`);
    const lineOrigin = line.origin.replace("http:", "https:");
    const long = await interleave(clients(far, lineOrigin), quick ? 2 : 3, base);
    console.log(`${title}, locally`);
    await sink.check(false);
    const unchecked = { ...local, sha256: "" };
    const near = await interleave(clients(unchecked, origin), quick ? 2 : 5, base);
    const grown = protocol === "h2" ? await growthOf(browser, origin, quick, videos) : [];
    const same = SAME[protocol];
    const cpu = (each: Measured) => ((spreadOf(each, "cpu").median * GiB) / local.size).toFixed(2);
    tables.push(
      tableBeside(`${title}, ${sized(far.size)} over a long line`, long, XHR),
      tableBeside(`${title}, ${sized(local.size)} locally`, near, XHR, {
        "CPU-s per GiB": cpu,
      }),
    );
    const upcut = `Upcut in Chromium over ${title}`;
    verdicts.push(
      atMostTimes(`${upcut}, ${sized(far.size)} over a long line`, long, [OURS, same], 1.05),
      atMostTimes(`${upcut}, CPU seconds`, near, [OURS, same], 1.05, "cpu"),
      ...grown.map(([size, most]) =>
        atMost(
          `Memory above before in Chromium over ${title}, ${sized(size)}`,
          spread([most]),
          20,
          " MiB",
          0,
        ),
      ),
    );
    await browser.close();
    await Promise.all([line.close(), sink.close()]);
  }
  return {
    title: "Chromium to a host that encrypts",
    how:
      `From an offscreen document, with the location known. The long line has ${RTT} ms there and back and ${(BYTES_PER_SECOND * 8) / 1e6} Mbit/s, ` +
      `which take ${((far.size / BYTES_PER_SECOND) * 1).toFixed(1)} s for ${sized(far.size)}. CPU seconds are those of all ` +
      "processes of the browser, user and system. Over HTTP/2 Upcut sends all whole parts as one stream, and what is left " +
      "below one in a request of its own; over HTTP/1.1 a part of 8 MiB at a time. A bare script that sends the same stands " +
      "beside it.",
    tables,
    verdicts,
  };
}

async function growthOf(
  browser: Browser,
  origin: string,
  quick: boolean,
  videos: Bench["videos"],
): Promise<[size: number, most: number][]> {
  const found: [number, number][] = [];
  for (const size of quick ? [GiB] : [GiB, 16 * GiB]) {
    const video = await videos.sparse(size);
    const most = await growthDuring(browser.profile, () => clientOf(browser, OURS)(video.path, origin));
    console.log(`  ${sized(size)}: ${most.toFixed(0)} MiB more`);
    found.push([size, most]);
  }
  return found;
}

/** All clients; one that sends something else for the video fails. */
function candidates(
  browser: Browser,
  sink: DiscardSink,
  protocol: Protocol,
  video: Video,
  origin: string,
): Candidate[] {
  const streams = protocol === "h2" ? [STREAM] : [];
  return [XHR, PARTS, ...streams, PEERS.tus, PEERS.uppy, OURS].map((name) => ({
    name,
    async run() {
      const { id, figures } = await clientOf(browser, name)(video.path, origin);
      await expectVideo(sink, id, video);
      return figures;
    },
  }));
}
