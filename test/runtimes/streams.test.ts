/** Parts as one stream from a page, where the upload host speaks HTTP/2, and what becomes of them where it fails. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { UploadOptions } from "../../core/mod.ts";
import { launchChromium } from "../browser/launch.ts";
import { type SpawnedService, spawnService } from "../service/spawned.ts";
import { note } from "../support/caught.ts";
import { MiB, writeContent } from "../support/content.ts";
import {
  type Broken,
  type Fault,
  type FrontRequest,
  type SecureFront,
  startSecureFront,
} from "../support/hosts/secure-front.ts";
import { inAll, table } from "../support/in-all.ts";
import { useFolder } from "../support/use-folder.ts";
import { useOpened } from "../support/use-opened.ts";
import { bundle } from "./bundle.ts";
import type { Shown } from "./page/page.ts";
import { serveSite } from "./page/site.ts";

const PART = 8 * MiB;
const TAIL = 17;
const SIZE = 5 * PART + TAIL;
const PARTS = [PART, PART, PART, PART, PART, TAIL];

const folder = useFolder("video");
let path: string;
let sha256: string;
const browser = useOpened(() => launchChromium({ pagesOnly: true, args: ["--ignore-certificate-errors"] }));
const site = useOpened(async () => serveSite({ "page.js": await bundle("page/page.ts"), "worker.js": "" }));
let page: Page;
/** Where the video is to go, and somewhere else. */
let front: SecureFront;
const other = useOpened(() => startSecureFront(() => service.uploadUrl));
let service: SpawnedService;
const opened: { front: SecureFront; service: SpawnedService }[] = [];

/** Starts a service behind a front, which the video goes to from now on. */
async function start(protocol?: "http/1.1"): Promise<void> {
  front = await startSecureFront(() => service.uploadUrl, protocol);
  service = await spawnService({}, { advertise: front.origin });
  opened.push({ front, service });
}

beforeAll(async () => {
  path = join(folder.path, "video.mp4");
  sha256 = await writeContent(path, SIZE);
  await start();
});
beforeEach(async () => {
  // A new page knows of no host yet.
  page = await browser.context.newPage();
  page.on("console", (message) => note(message.text()));
  await page.goto(site.url);
});
afterEach(async () => {
  await page.close();
  await service.reset();
  for (const each of [front, other]) each.clear();
});
afterAll(async () => {
  for (const each of opened) {
    await each.service.stop();
    await each.front.close();
  }
});

async function send(options: UploadOptions = {}): Promise<Shown> {
  await page.locator("input").setInputFiles(path);
  const task = { baseUrl: service.baseUrl, token: service.token, options };
  const outcome = await page.evaluate((what) => window.uploadFrom("page", what), task);
  note(JSON.stringify(outcome));
  return outcome;
}

async function sendWhole(options: UploadOptions = {}): Promise<Shown> {
  const outcome = await send({ method: "resumable", ...options });
  expect(outcome.error).toBeUndefined();
  expect(await service.whole(outcome.result?.asset.id ?? "")).toMatchObject({ sha256 });
  expect(other).toMatchObject({ connections: 0 });
  const settled = outcome.reports.every(({ fraction = 0, state }) => fraction <= 0.99 || state === "done");
  expect(settled).toBe(true);
  return outcome;
}

const of = (method: string) => front.requests.filter((each) => each.method === method);
const sizes = () => of("PATCH").map(({ bytes }) => bytes);

/** Has the first PATCH with the bytes of several parts fail. */
function failOnce(fault: Fault): void {
  let isOver = false;
  front.fault = (request: FrontRequest) => {
    if (isOver || request.method !== "PATCH") return undefined;
    isOver = true;
    return fault;
  };
}

test("over HTTP/2 all whole parts go in one request, and what is left in another", async () => {
  const { reports } = await sendWhole();
  expect(of("PATCH")).toMatchObject([
    { version: 2, bytes: 5 * PART },
    { version: 2, bytes: TAIL },
  ]);
  expect(of("PATCH").map(({ headers }) => headers["content-length"])).toEqual([undefined, undefined]);
  expect(of("HEAD")).toEqual([]);
  expect(reports.filter(({ sent }) => sent > 0 && sent < SIZE).length).toBeGreaterThan(1);
});

test.each(table([411, 400, 413]))(
  "a host that answers %i to a stream is sent a part at a time, and no attempt is counted",
  async (status) => {
    failOnce({ status, after: 1 });
    const { reports } = await sendWhole({ retry: { attempts: 0 } });
    expect(sizes().slice(1)).toEqual(PARTS);
    const reasons = reports.flatMap(({ waiting }) => waiting?.reason ?? []);
    expect(reasons.filter((reason) => reason !== "settling")).toEqual([]);
  },
);

test.each(
  table<Broken>(
    [
      { does: "break", after: 20 * MiB },
      { does: "reset", after: 20 * MiB },
      { does: "refuse", after: 20 * MiB },
      { does: "goaway", after: 20 * MiB },
    ],
    2,
  ),
)("a stream that meets $does after $after bytes goes on where the host stands", async (fault) => {
  failOnce(fault);
  await sendWhole();
  const [first, ...others] = of("PATCH");
  const asked = front.requests.slice(1 + front.requests.indexOf(first as FrontRequest));
  // The browser sends nothing again by itself: each further stream begins where a HEAD has found the host.
  if (fault.does !== "goaway") expect(asked[0]?.method).toBe("HEAD");
  const offsets = of("PATCH").map(({ headers }) => Number(headers["upload-offset"]));
  expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
  expect(others.length).toBeLessThanOrEqual(2);
});

inAll("a stream that nobody reads any more ends, and the next parts go one at a time", async () => {
  failOnce({ does: "silence", after: MiB, kept: true });
  await sendWhole({ timeout: { stall: 2_000 } });
  expect(sizes().slice(1)).toEqual(PARTS);
});

inAll("where something keeps all of a request until it breaks, a part goes at a time", async () => {
  failOnce({ does: "reset", after: 30 * MiB, kept: true });
  await sendWhole();
  expect(sizes().slice(1)).toEqual(PARTS);
});

inAll("a bandwidth paces a stream", async () => {
  const { result } = await sendWhole({ bandwidth: 40 * MiB });
  expect(result?.duration).toBeGreaterThanOrEqual(900);
  expect(sizes()).toEqual([5 * PART, TAIL]);
});

test("over HTTP/1.1 a part goes at a time, and the next upload doesn't try anything else", async () => {
  await start("http/1.1");
  await sendWhole();
  expect(sizes()).toEqual([PART, PART, PART, PART, PART, TAIL]);
  // After each of two streams that failed before any request left, and before the end.
  expect(of("HEAD")).toHaveLength(3);
  front.clear();
  await sendWhole();
  expect(sizes()).toEqual([PART, PART, PART, PART, PART, TAIL]);
  expect(of("HEAD")).toHaveLength(1);
});
