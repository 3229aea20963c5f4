/** Chromium to an upload host that encrypts, over HTTP/2 and over HTTP/1.1: core in a page beside others in it. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { launchChromium } from "../browser/launch.ts";
import { bundle } from "../runtimes/bundle.ts";
import { serveSite } from "../runtimes/page/site.ts";
import { scratchFolder } from "../scratch.ts";
import { cpuOf, growthDuring } from "./processes.ts";
import { atMost, type Bench, type Section, type Table, tableBeside, type Verdict } from "./report.ts";
import { type Candidate, find, interleave, type Measured, ratioOf, spread, spreadOf } from "./rounds.ts";
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

const OURS = "Upcut";
/** By their names in `clients/`. */
const CLIENTS: Record<string, string> = {
  xhr: "a plain XHR PUT",
  parts: "XHR PATCHes of 8 MiB",
  stream: "a PATCH as a stream",
  tus: "tus-js-client",
  uppy: "Uppy",
  upcut: OURS,
};
/** The bare script of the requests that core sends. */
const SAME: Record<Protocol, string> = { h2: "stream", "http/1.1": "parts" };
const TITLES: Record<Protocol, string> = { h2: "HTTP/2", "http/1.1": "HTTP/1.1" };

interface SecurePage {
  profile: string;
  candidates(video: Video, origin: string): Candidate[];
  send(client: string, video: Video, origin: string): Promise<number>;
}

export async function secure({ quick, videos }: Bench): Promise<Section> {
  const local = await videos.of(quick ? 128 * MiB : GiB);
  const far = await videos.of((quick ? 20 : 100) * MiB);
  const tables: Table[] = [];
  const verdicts: Verdict[] = [];
  for (const protocol of ["h2", "http/1.1"] as const) {
    const title = TITLES[protocol];
    const sink = await startSink({ checked: true, protocol });
    const origin = await sink.secureOrigin();
    const line = await startLine(origin);
    const { page, close } = await openPage(sink, protocol);
    console.log(`${title}, over the line`);
    const lineOrigin = line.origin.replace("http:", "https:");
    const long = await interleave(page.candidates(far, lineOrigin), quick ? 2 : 3);
    console.log(`${title}, locally`);
    await sink.check(false);
    const unchecked = { ...local, sha256: "" };
    const near = await interleave(page.candidates(unchecked, origin), quick ? 2 : 5);
    const grown = protocol === "h2" ? await growthOf(page, origin, quick, videos) : [];
    const same = CLIENTS[SAME[protocol]] ?? "";
    const cpu = (each: Measured) => ((spreadOf(each, "cpu").median * GiB) / local.size).toFixed(2);
    tables.push(
      tableBeside(`${title}, ${sized(far.size)} over a long line`, long, CLIENTS.xhr ?? ""),
      tableBeside(`${title}, ${sized(local.size)} locally`, near, CLIENTS.xhr ?? "", {
        "CPU-s per GiB": cpu,
      }),
    );
    const [ours, bare] = [find(near, OURS), find(near, same)];
    verdicts.push(
      atMost(
        `Upcut in Chromium over ${title}, ${sized(far.size)} over a long line`,
        ratioOf(find(long, OURS), find(long, same), "seconds"),
        1.05,
        ` × ${same}`,
      ),
      atMost(`Upcut in Chromium over ${title}, CPU seconds`, ratioOf(ours, bare, "cpu"), 1.05, ` × ${same}`),
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
    await close();
    await Promise.all([line.close(), sink.close()]);
  }
  return {
    title: "Chromium to a host that encrypts",
    how:
      `From a page, with the location known. The long line has ${RTT} ms there and back and ${(BYTES_PER_SECOND * 8) / 1e6} Mbit/s, ` +
      `which take ${((far.size / BYTES_PER_SECOND) * 1).toFixed(1)} s for ${sized(far.size)}. CPU seconds are those of all ` +
      "processes of the browser, user and system. Over HTTP/2 Upcut sends all whole parts as one stream, and what is left " +
      "below one in a request of its own; over HTTP/1.1 a part of 8 MiB at a time. A bare script that sends the same stands " +
      "beside it.",
    tables,
    verdicts,
  };
}

async function growthOf(
  page: SecurePage,
  origin: string,
  quick: boolean,
  videos: Bench["videos"],
): Promise<[size: number, most: number][]> {
  const found: [number, number][] = [];
  for (const size of quick ? [GiB] : [GiB, 16 * GiB]) {
    const video = await videos.sparse(size);
    const most = await growthDuring(page.profile, () => page.send("upcut", video, origin));
    console.log(`  ${sized(size)}: ${most.toFixed(0)} MiB more`);
    found.push([size, most]);
  }
  return found;
}

/** Starts a browser with a page that has all clients; one that sends something else for the video fails. */
async function openPage(
  sink: DiscardSink,
  protocol: Protocol,
): Promise<{ page: SecurePage; close(): Promise<void> }> {
  const script = await bundle(join(import.meta.dirname, "clients/secure-page.mjs"), undefined, true);
  const [site, profile] = [await serveSite({ "page.js": script }), await scratchFolder("profile")];
  const browser = await launchChromium({
    userDataDir: profile.path,
    args: ["--ignore-certificate-errors"],
  });
  const tab: Page = await browser.context.newPage();
  await tab.goto(site.url);
  const send: SecurePage["send"] = async (client, { path, size, sha256 }, origin) => {
    const location = await sink.locate();
    const isPatched = client === "parts" || client === "stream";
    if (isPatched) location.url = await sink.create(location, size);
    const told = { ...location };
    for (const name of ["url", "tusEndpoint"] as const) told[name] = told[name].replace(sink.baseUrl, origin);
    await tab.locator("input").setInputFiles(path);
    const call = `run(${JSON.stringify(client)}, ${JSON.stringify(told)})`;
    const [outcome, milliseconds] = (await tab.evaluate(call)) as [string, number];
    if (outcome !== "done") throw new Error(`${client} ${outcome}`);
    await expectVideo(sink, location.asset.id, { path, size, sha256 });
    return milliseconds / 1000;
  };
  const clients = Object.entries(CLIENTS).filter(([name]) => protocol === "h2" || name !== "stream");
  return {
    page: {
      profile: profile.path,
      send,
      candidates: (video, origin) =>
        clients.map(([client, name]) => ({
          name,
          async run() {
            const before = await cpuOf(profile.path);
            const seconds = await send(client, video, origin);
            return { seconds, cpu: (await cpuOf(profile.path)) - before };
          },
        })),
    },
    async close() {
      await browser.close();
      await Promise.all([site.stop(), profile.remove()]);
    },
  };
}
