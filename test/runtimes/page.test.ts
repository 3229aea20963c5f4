import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { UploadOptions } from "../../core/mod.ts";
import { launchChromium } from "../browser/launch.ts";
import { useService } from "../service/use-service.ts";
import { note } from "../support/caught.ts";
import { MiB, writeContent } from "../support/content.ts";
import { useHls } from "../support/hls/use-hls.ts";
import { table } from "../support/in-all.ts";
import { useFolder } from "../support/use-folder.ts";
import { useOpened } from "../support/use-opened.ts";
import { bundle } from "./bundle.ts";
import { readHls } from "./page/hls.ts";
import type { Place, Shown } from "./page/page.ts";
import { serveSite } from "./page/site.ts";
import type { PageTask } from "./page/upload.ts";

/** More than the sockets between page and service hold, or the bar would jump: Linux lets them grow to 36 MiB. */
const LARGE = 56 * MiB + 17;
const SMALL = 10 * MiB + 17;
const service = useService({ assetCall: true });
const hls = useHls();
const site = useOpened(async () =>
  serveSite({ "page.js": await bundle("page/page.ts"), "worker.js": await bundle("page/worker.ts") }),
);
const folder = useFolder("video");
/** Holds a journal, which is the one place for secrets. */
const profile = useFolder("journal-profile");
const browser = useOpened(() => launchChromium({ pagesOnly: true, userDataDir: profile.path }));
let page: Page;
const sha256 = new Map<number, string>();
const pathOf = (size: number) => join(folder.path, `video-${size}.mp4`);

beforeAll(async () => {
  for (const size of [LARGE, SMALL]) sha256.set(size, await writeContent(pathOf(size), size));
  page = await browser.context.newPage();
  page.on("console", (message) => note(message.text()));
  await page.goto(site.url);
});

interface How extends Pick<PageTask, "byFetch" | "as" | "journal" | "verify"> {
  /** Of the file that is chosen. @default SMALL */
  size?: number;
}

async function send(
  place: Place,
  options: UploadOptions,
  { size = SMALL, ...how }: How = {},
): Promise<Shown> {
  await page.locator("input").setInputFiles(pathOf(size));
  const task = { baseUrl: service.baseUrl, token: service.token, options, ...how };
  const outcome = await page.evaluate(([where, what]) => window.uploadFrom(where, what), [
    place,
    task,
  ] as const);
  note(JSON.stringify(outcome));
  return outcome;
}

async function sendWhole(place: Place, options: UploadOptions, how: How = {}): Promise<Shown> {
  const { size = SMALL } = how;
  const outcome = await send(place, options, how);
  expect(outcome.error).toBeUndefined();
  expect(await service.whole(outcome.result?.asset.id ?? "")).toMatchObject({ sha256: sha256.get(size) });
  expect(await service.assets()).toHaveLength(1);
  expect(outcome.reports.at(-1)).toMatchObject({ state: "done", fraction: 1, acknowledged: size });
  expect(outcome.reports.slice(0, -1).every(({ fraction = 0 }) => fraction <= 0.99)).toBe(true);
  return outcome;
}

const methods = ["resumable", "direct"] as const;
const verbOf = (method: (typeof methods)[number]) => (method === "direct" ? "PUT" : "PATCH");

describe.each(methods)("by the %s method", (method) => {
  const verb = verbOf(method);

  test("upload() in a page brings a chosen file to the service, with a bar that moves", async () => {
    await service.set({ throttle: 20 * MiB });
    const { reports, bar } = await sendWhole("page", { method }, { size: LARGE });
    expect(reports.filter(({ sent }) => sent > 0 && sent < LARGE).length).toBeGreaterThan(1);
    expect(bar).toEqual([...bar].sort((a, b) => a - b));
    expect(bar.at(-1)).toBe(1);
  });

  const places = [
    { place: "service worker", context: "ServiceWorkerGlobalScope", xhr: false },
    { place: "page", context: "Window", xhr: true },
    { place: "worker", context: "DedicatedWorkerGlobalScope", xhr: true },
  ] as const;
  test.each(method === "resumable" ? places : table(places))(
    "upload() in a $place resumes after a reset",
    async ({ place, context, xhr }) => {
      await service.set({ resetAfter: [{ host: "upload", method: verb, bytes: 2 * MiB, times: 2 }] });
      expect(await sendWhole(place, { method })).toMatchObject({ context, xhr });
      const requests = await service.requests(verb);
      expect(requests.filter(({ status }) => status === "reset")).not.toHaveLength(0);
      expect(await service.requests("POST", "request-upload")).toHaveLength(1);
    },
  );

  test.each(table(["page", "service worker"] as const))(
    "upload() in a %s counts a lost last answer as success",
    async (place) => {
      await service.set({ dropAnswer: [{ host: "upload", method: verb, times: 1 }] });
      await sendWhole(place, { method });
    },
  );

  test.each(table(["page", "service worker"] as const))(
    "upload() in a %s, given a fetch, sends nothing where the host redirects to",
    async (place) => {
      const location = `${service.uploadUrl}/elsewhere`;
      await service.set({ answerStatus: [{ host: "upload", method: verb, status: 307, location }] });
      const { error } = await send(place, { method }, { byFetch: true });
      expect(error).toMatchObject({ code: "location-refused" });
      expect(await service.requests(undefined, "elsewhere")).toEqual([]);
    },
  );
});

test("upload() in a page takes no answer from its own path with another query", async () => {
  const redirect = {
    host: "upload",
    method: "PATCH",
    status: 307,
    location: "?elsewhere",
    times: 1,
  } as const;
  await service.set({ answerStatus: [redirect] });
  const { error } = await send("page", { method: "resumable" });
  expect(error).toMatchObject({ code: "location-refused" });
});

describe("an upload host that hides its headers from pages", () => {
  const named = '"Access-Control-Expose-Headers: Location, Upload-Offset, Upload-Length, Retry-After"';
  const broken = { resetAfter: [{ host: "upload" as const, method: "PATCH", bytes: MiB, times: 1 }] };

  test.each(table(["page", "worker", "service worker"] as const))(
    "ends the upload of a %s at once, which resumes as the same asset once it shows them",
    async (place) => {
      const how = { journal: crypto.randomUUID() };
      for (const hiding of [true, true]) {
        await service.set({ hideHeaders: hiding });
        const { error, reports } = await send(place, { method: "resumable" }, how);
        expect(error).toMatchObject({ code: "interrupted", retryable: false, resume: { possible: true } });
        expect(error?.message).toContain("hides its header Location from this page");
        expect(error?.message).toContain(named);
        expect(reports.map(({ waiting }) => waiting?.reason)).not.toContain("offset");
      }
      await service.set({ hideHeaders: false });
      const { result } = await sendWhole(place, { method: "resumable" }, how);
      expect(result?.resumed).toBe(true);
    },
  );

  test("ends an upload that was begun before at once", async () => {
    const how = { journal: crypto.randomUUID() };
    await service.set(broken);
    await send("page", { method: "resumable", retry: { attempts: 0 } }, how);
    await service.set({ hideHeaders: true });
    const { error, reports } = await send("page", { method: "resumable" }, how);
    expect(error).toMatchObject({ code: "interrupted", retryable: false, resume: { possible: true } });
    expect(error?.message).toContain("hides its header Upload-Offset from this page");
    expect(reports.map(({ waiting }) => waiting?.reason)).not.toContain("offset");
    await service.set({ hideHeaders: false });
    expect((await sendWhole("page", { method: "resumable" }, how)).result?.resumed).toBe(true);
  });
});

test("upload() in a page goes on after sign-in pages, and after a PATCH whose answer tells no offset", async () => {
  const signIn = { host: "upload", status: 200, contentType: "text/html", times: 1 } as const;
  await service.set({
    answerStatus: [
      { ...signIn, method: "POST" },
      { host: "upload", method: "PATCH", status: 204, times: 1 },
      { ...signIn, method: "HEAD" },
    ],
  });
  await sendWhole("page", { method: "resumable" });
});

test.each(["bytes", "iterable"] as const)("upload() in a page brings %s to the service", async (as) => {
  const { result, error } = await send("page", { filename: "video.mp4", type: "video/mp4" }, { as });
  expect(error).toBeUndefined();
  expect(await service.whole(result?.asset.id ?? "")).toMatchObject({ sha256: sha256.get(SMALL) });
});

test("upload() in a page compares a chosen file with the hash of what is stored", async () => {
  expect((await sendWhole("page", {}, { verify: true })).result?.verified).toBe("sha256");
});

test("upload() in a page that is told to verify without a sha-256 says what it needs, and sends nothing", async () => {
  const { error } = await send("page", { verify: true });
  expect(error).toMatchObject({
    code: "invalid-option",
    message:
      "Cannot upload: verify is true, and this runtime can't hash piece by piece. Give it a function that opens a sha-256, such as createSHA256 of the package hash-wasm",
  });
  expect(await service.requests()).toEqual([]);
});

test("upload() in a page whose policy allows no WebAssembly compares nothing, and says so before anything is sent", async () => {
  site.policy = "script-src 'self'";
  await page.reload();
  const { error } = await send("page", {}, { verify: true });
  expect(error).toMatchObject({
    code: "invalid-option",
    message: expect.stringContaining("'wasm-unsafe-eval'"),
  });
  expect(await service.requests()).toEqual([]);
  site.policy = undefined;
  await page.reload();
});

test("upload() in a page with a bandwidth waits between its requests", async () => {
  const bandwidth = 8 * MiB;
  const { result } = await sendWhole("page", { method: "resumable", bandwidth });
  // A part and a rest, of which the first leaves at once.
  expect(result?.duration).toBeGreaterThanOrEqual(((8 * MiB) / bandwidth) * 1000);
});

test("upload() in a page names web origins as a reason where the browser hides a refusal without CORS headers", async () => {
  const body = '{"errors":["access forbidden for CORS-enabled API key with restricted access"]}';
  await service.set({ answerStatus: [{ host: "api", method: "POST", status: 403, cors: false, body }] });
  const { error } = await send("page", {});
  expect(error).toMatchObject({ name: "ConnectionError", code: "asset-unknown" });
  expect(error?.message).toBe(
    `Cannot request an upload location: the connection failed, or the service refuses this key from web pages of ${new URL(site.url).origin} (a browser doesn't tell which). An asset may have been created: look into the account before trying again`,
  );
  expect((await service.requests("POST")).map(({ status }) => status)).toEqual([403]);
});

/** Reads videos in pieces as a page does: one goes on with what another runtime began. */
test.each(table(["/separate/main.m3u8", "/aes/index.m3u8"]))(
  "%s gives a page the same bytes and identity",
  async (path) => {
    const address = hls.origin + path;
    const found = await page.evaluate((url) => window.readHls(url), address);
    expect(found).toEqual(await readHls(address));
  },
);
