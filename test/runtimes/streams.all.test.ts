/**
 * Every fault between a page and each store, over HTTP/2, where parts go as one stream, and over HTTP/1.1, where they go
 * by XMLHttpRequest. The page's policy names its hosts, as SECURITY.md asks. `UPCUT_FAULT="break|stall"` runs some.
 */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { type Chromium, launchChromium } from "../browser/launch.ts";
import { videoFolder } from "../faults/lab.ts";
import { type SpawnedService, spawnService } from "../service/spawned.ts";
import { STORE_NAMES, type StoreName } from "../service/stores.ts";
import { note } from "../support/caught.ts";
import { MiB, writeContent } from "../support/content.ts";
import {
  type Fault,
  type FrontRequest,
  type SecureFront,
  startSecureFront,
} from "../support/hosts/secure-front.ts";
import { scratchFolder } from "../support/scratch.ts";
import { bundle } from "./bundle.ts";
import type { Shown } from "./page/page.ts";
import { type Site, serveSite } from "./page/site.ts";
import type { PageTask } from "./page/upload.ts";

type Protocol = "h2" | "http/1.1";

interface Lab {
  front: SecureFront;
  other: SecureFront;
  service: SpawnedService;
  site: Site;
  browser: Chromium;
  page: Page;
  path: string;
  sha256: string;
}

interface Case {
  name: string;
  /** What becomes of a request with a body, the first of which is number 1. */
  fault?(request: FrontRequest, number: number, lab: Lab): Fault | undefined;
  /** @default both */
  protocol?: Protocol;
  /** The code of the error that a stream ends in. @default none: it is whole */
  ends?: string;
  task?: Partial<PageTask>;
  /** What the page may not connect to by itself. */
  forbidden?: "upload host";
  /** Happens once the first body has begun. */
  during?(lab: Lab): Promise<unknown>;
}

const SIZE = 40 * MiB + 17;
const MIDDLE = 5 * MiB;
const first =
  (most: number, fault: Fault) =>
  (_: FrontRequest, number: number): Fault | undefined =>
    number <= most ? fault : undefined;
const refusing = (status: number): Case => ({
  name: `${status} to each body without a length`,
  protocol: "h2",
  fault: ({ headers }) => (headers["content-length"] === undefined ? { status, after: 1 } : undefined),
});
const redirecting = (status: number): Case => ({
  name: `${status} to another origin`,
  fault: (_, number, { other }) =>
    number === 1 ? { status, after: MiB, headers: { location: `${other.origin}/elsewhere` } } : undefined,
  ends: "location-refused",
});

const CASES: Case[] = [
  { name: "no fault" },
  { name: "three broken connections", fault: first(3, { does: "break", after: MIDDLE }) },
  { name: "a warm connection broken before the body", fault: first(1, { does: "break" }) },
  {
    name: "a connection broken late, three times",
    protocol: "h2",
    fault: first(3, { does: "break", after: 12 * MiB }),
  },
  { name: "two resets of the request", fault: first(2, { does: "reset", after: MIDDLE }) },
  { name: "two refusals of the request", protocol: "h2", fault: first(2, { does: "refuse", after: MIDDLE }) },
  { name: "GOAWAY in two bodies", protocol: "h2", fault: first(2, { does: "goaway", after: MIDDLE }) },
  { name: "GOAWAY before a body", protocol: "h2", fault: first(1, { does: "goaway" }) },
  ...[307, 308].map(redirecting),
  ...[411, 400, 413].map(refusing),
  {
    name: "413 to bodies over 16 MiB",
    protocol: "h2",
    fault: ({ headers }) =>
      headers["content-length"] === undefined ? { status: 413, after: 16 * MiB + 1 } : undefined,
  },
  {
    name: "413 to each body",
    protocol: "h2",
    fault: () => ({ status: 413, after: 1 }),
    ends: "rejected",
  },
  {
    name: "a body that nobody reads on",
    fault: first(1, { does: "silence", after: MiB, kept: true }),
    task: { options: { timeout: { stall: 5_000 } } },
  },
  { name: "a proxy that keeps each body to its end", fault: () => ({ does: "buffer" }) },
  {
    name: "a proxy that keeps long bodies and cuts them",
    protocol: "h2",
    fault: ({ headers }) =>
      headers["content-length"] === undefined ? { does: "reset", after: 30 * MiB, kept: true } : undefined,
  },
  { name: "a policy without the upload host", forbidden: "upload host", task: { byFrame: true } },
  {
    name: "a browser that is stopped while its connection breaks",
    fault: first(1, { does: "silence", after: MIDDLE }),
    async during({ front, browser }) {
      const happened = front.happened();
      const processes = await processesOf(browser);
      await happened;
      for (const id of processes) process.kill(id, "SIGSTOP");
      front.break();
      for (const id of processes) process.kill(id, "SIGCONT");
    },
  },
];
const wanted = CASES.filter(({ name }) => new RegExp(process.env.UPCUT_FAULT ?? "").test(name));

const columns = STORE_NAMES.flatMap((store) =>
  (["h2", "http/1.1"] as const).map((protocol): [Protocol, StoreName] => [protocol, store]),
);

test.each(columns)(
  "over %s to the store %s each upload is whole, or its error is clear",
  async (protocol, store) => {
    const lab = await openLab(protocol, store);
    const problems: string[] = [];
    for (const each of wanted.filter((one) => (one.protocol ?? protocol) === protocol)) {
      const problem = await run(lab, each).catch((error: unknown) => `it failed: ${String(error)}`);
      const patches = lab.front.requests.filter(({ method }) => method === "PATCH");
      console.log(
        `${protocol}, ${store}, ${each.name}: ${problem ?? "right"}; ${patches.length} bodies, ${repeatsOf(lab.front.requests)} repeated, ${lab.other.connections} connections elsewhere`,
      );
      if (problem !== undefined) problems.push(`${each.name}: ${problem}`);
      for (const front of [lab.front, lab.other]) front.clear();
      await lab.service.reset();
    }
    await lab.close();
    expect(problems).toEqual([]);
  },
  3_600_000,
);

async function openLab(protocol: Protocol, store: StoreName): Promise<Lab & { close(): Promise<void> }> {
  const folder = await videoFolder();
  const path = join(folder.path, "video.mp4");
  const sha256 = await writeContent(path, SIZE);
  const front = await startSecureFront(() => service.uploadUrl, protocol);
  const other = await startSecureFront(() => service.uploadUrl, protocol);
  const switches = store === "files" ? {} : { storeLatency: [5, 45] as [number, number] };
  const service = await spawnService(switches, { advertise: front.origin, store });
  const site = await serveSite({ "page.js": await bundle("page/page.ts"), "worker.js": "" });
  const browser = await launchChromium({ args: ["--ignore-certificate-errors"] });
  const page = await browser.context.newPage();
  return {
    front,
    other,
    service,
    site,
    browser,
    page,
    path,
    sha256,
    async close() {
      await browser.close();
      await service.stop();
      await Promise.all([front.close(), other.close(), site.close(), folder.remove()]);
    },
  };
}

/** @returns what is wrong */
async function run(lab: Lab, { fault, ends, task, forbidden, during }: Case): Promise<string | undefined> {
  const { front, other, service, site, browser, path, sha256 } = lab;
  site.policy = `connect-src ${service.baseUrl}${forbidden === undefined ? ` ${front.origin}` : ""}`;
  let bodies = 0;
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  front.fault = (request) => {
    if (request.method !== "PATCH") return undefined;
    begun();
    return fault?.(request, ++bodies, lab);
  };
  // A new page knows of no host yet.
  const page = await browser.context.newPage();
  page.on("console", (message) => {
    // In the console of a page the browser itself names what that page's policy refuses.
    if (!/Content Security Policy/.test(message.text())) note(message.text());
  });
  await page.goto(site.url);
  await page.locator("input").setInputFiles(path);
  const [outcome] = await Promise.all([
    page.evaluate((what) => window.uploadFrom("page", what), {
      baseUrl: service.baseUrl,
      token: service.token,
      ...task,
      options: { method: "resumable", ...task?.options },
    } satisfies PageTask),
    during && hasBegun.then(() => during(lab)),
  ]);
  note(JSON.stringify(outcome));
  await page.close();
  if (other.connections > 0) return `${other.connections} connections to another origin`;
  const parts = front.requests.filter(({ headers }) => headers["content-length"] !== undefined);
  const others = front.requests.filter((each) => !parts.includes(each));
  if (repeatsOf(others) > 0) return "the browser sent a stream again";
  const streams = others.filter(({ method }) => method === "PATCH");
  // The page's policy stops an XMLHttpRequest that is redirected, which looks like a broken connection.
  return await problemOf(lab, outcome, streams.length > 0 ? ends : undefined, sha256);
}

async function problemOf(
  { service }: Lab,
  { error, result, reports }: Shown,
  ends: string | undefined,
  sha256: string,
): Promise<string | undefined> {
  if (ends !== undefined) return error?.code === ends ? undefined : `expected ${ends}: ${error?.message}`;
  if (error !== undefined) return `${error.code}: ${error.message}`;
  if (reports.some(({ fraction = 0, state }) => fraction > 0.99 && state !== "done"))
    return "the bar was full too early";
  const stored = await service.whole(result?.asset.id ?? "", 60_000).catch(() => undefined);
  return stored?.sha256 === sha256 ? undefined : "WRONG: another content is stored";
}

/**
 * Bodies that begin where one began before of which a byte had come, without the host having been asked in between.
 * Chromium sends a stream again of which it has read nothing.
 */
function repeatsOf(requests: readonly FrontRequest[]): number {
  const seen = new Set<unknown>();
  let repeats = 0;
  for (const { method, headers, bytes } of requests) {
    if (method === "HEAD") seen.clear();
    if (method !== "PATCH") continue;
    const offset = headers["upload-offset"];
    if (seen.has(offset)) repeats++;
    if (bytes > 0) seen.add(offset);
  }
  return repeats;
}

/** The browser's processes, which end or stop together. */
async function processesOf({ context }: Chromium): Promise<number[]> {
  const session = await context.browser()?.newBrowserCDPSession();
  const { processInfo = [] } = (await session?.send("SystemInfo.getProcessInfo")) ?? {};
  await session?.detach();
  return processInfo.map(({ id }) => id);
}

test.each(STORE_NAMES)(
  "a browser that is killed in a stream goes on with it at the store %s",
  async (store) => {
    const lab = await openLab("h2", store);
    const profile = await scratchFolder("journal-profile");
    const { front, service, site, path, sha256 } = lab;
    let killed = 0;
    front.fault = ({ method }) =>
      // More than what goes next by itself where a count may hide bytes, and often enough in the video.
      method === "PATCH" && killed < 3 ? { does: "silence", after: 6 * MiB } : undefined;
    let outcome: Shown | undefined;
    while (outcome === undefined) {
      const browser = await launchChromium({
        args: ["--ignore-certificate-errors"],
        userDataDir: profile.path,
      });
      const page = await browser.context.newPage();
      await page.goto(site.url);
      await page.locator("input").setInputFiles(path);
      const silent = front.happened();
      const upload = page
        .evaluate((what) => window.uploadFrom("page", what), {
          baseUrl: service.baseUrl,
          token: service.token,
          journal: "uploads",
          options: { method: "resumable" },
        } satisfies PageTask)
        .catch(() => undefined);
      if (killed < 3) {
        expect(await Promise.race([silent, upload])).toBeUndefined();
        killed++;
        for (const id of await processesOf(browser)) process.kill(id, "SIGKILL");
      }
      outcome = await upload;
      await browser.close().catch(() => {});
    }
    expect(outcome.error).toBeUndefined();
    expect(outcome.result?.resumed).toBe(true);
    expect(await service.assets()).toHaveLength(1);
    expect(await service.whole(outcome.result?.asset.id ?? "")).toMatchObject({ sha256 });
    expect(repeatsOf(front.requests)).toBe(0);
    await lab.close();
    await profile.remove();
  },
  600_000,
);
