import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { UploadOptions } from "../../core/mod.ts";
import { type Chromium, launchChromium } from "../browser/launch.ts";
import { note } from "../caught.ts";
import { writeContent } from "../content.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";
import { bundle } from "./bundle.ts";
import type { Place, Shown } from "./page/page.ts";
import { type Site, serveSite } from "./page/site.ts";
import type { PageTask } from "./page/upload.ts";

const MiB = 1024 * 1024;
/** More than the sockets between page and service hold, or the bar would jump: Linux lets them grow to 36 MiB. */
const size = 56 * MiB + 17;
const service = useService();
let site: Site;
let browser: Chromium;
let page: Page;
let folder: Awaited<ReturnType<typeof scratchFolder>>;
let video: string;
let sha256: string;

beforeAll(async () => {
  folder = await scratchFolder("video");
  video = join(folder.path, "video.mp4");
  const conditions = ["browser", "module"];
  const [pageScript, workerScript] = await Promise.all([
    bundle("page/page.ts", conditions),
    bundle("page/worker.ts", conditions),
  ]);
  site = await serveSite({ "page.js": pageScript, "worker.js": workerScript });
  sha256 = await writeContent(video, size);
  browser = await launchChromium();
  console.log(`Chromium ${browser.context.browser()?.version()}`);
  page = await browser.context.newPage();
  page.on("console", (message) => note(message.text()));
  await page.goto(site.url);
  await page.locator("input").setInputFiles(video);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([site?.stop(), service?.stop(), folder?.remove()]);
});

async function send(
  place: Place,
  options: UploadOptions,
  how: Pick<PageTask, "byFetch" | "as"> = {},
): Promise<Shown> {
  const task = { baseUrl: service.baseUrl, token: service.token, options, ...how };
  const outcome = await page.evaluate(([where, what]) => window.uploadFrom(where, what), [
    place,
    task,
  ] as const);
  note(JSON.stringify(outcome));
  return outcome;
}

const places = [
  { place: "page", context: "Window", xhr: true },
  { place: "worker", context: "DedicatedWorkerGlobalScope", xhr: true },
  { place: "service worker", context: "ServiceWorkerGlobalScope", xhr: false },
] as const;
const methods = ["resumable", "direct"] as const;

describe.each(places)("upload() in a Chromium $place", ({ place, context, xhr }) => {
  describe.each(methods)("by the %s method", (method) => {
    const verb = method === "direct" ? "PUT" : "PATCH";

    async function sendWhole(): Promise<Shown> {
      const outcome = await send(place, { method });
      expect(outcome.error).toBeUndefined();
      expect(outcome).toMatchObject({ context, xhr });
      expect(await service.whole(outcome.result?.asset.id ?? "")).toMatchObject({ sha256 });
      expect(await service.assets()).toHaveLength(1);
      expect(outcome.reports.at(-1)).toMatchObject({ state: "done", fraction: 1, acknowledged: size });
      expect(outcome.reports.slice(0, -1).every(({ fraction = 0 }) => fraction <= 0.99)).toBe(true);
      return outcome;
    }

    test("brings a chosen file to the service", async () => {
      if (xhr) await service.set({ throttle: 20 * MiB });
      const { reports, bar } = await sendWhole();
      const moving = reports.filter(({ sent }) => sent > 0 && sent < size);
      // Only XHR tells how much has left; fetch tells it at the end.
      if (xhr) expect(moving.length).toBeGreaterThan(1);
      if (place === "page") expect(bar).toEqual([...bar].sort((a, b) => a - b));
      if (place === "page") expect(bar.at(-1)).toBe(1);
    });

    test("resumes after a reset", async () => {
      await service.set({ resetAfter: [{ host: "upload", method: verb, bytes: 2 * MiB, times: 2 }] });
      await sendWhole();
      const requests = await service.requests(verb);
      expect(requests.filter(({ status }) => status === "reset")).not.toHaveLength(0);
      expect(await service.requests("POST", "request-upload")).toHaveLength(1);
    });

    test("counts a lost last answer as success", async () => {
      await service.set({ dropAnswer: [{ host: "upload", method: verb, times: 1 }] });
      await sendWhole();
    });
  });

  test.each(["bytes", "iterable"] as const)("brings %s to the service", async (as) => {
    const { result, error } = await send(place, { filename: "video.mp4", type: "video/mp4" }, { as });
    expect(error).toBeUndefined();
    expect(await service.whole(result?.asset.id ?? "")).toMatchObject({ sha256 });
  });

  test("with a bandwidth waits between its requests", async () => {
    const bandwidth = 32 * MiB;
    const { result, error } = await send(place, { method: "resumable", bandwidth });
    expect(error).toBeUndefined();
    expect(await service.whole(result?.asset.id ?? "")).toMatchObject({ sha256 });
    // Seven parts and a rest, of which the first leaves at once.
    expect(result?.duration).toBeGreaterThanOrEqual(((7 * 8 * MiB) / bandwidth) * 1000);
  });

  test.each(methods)(
    "given a fetch sends nothing where the host redirects the %s upload to",
    async (method) => {
      const verb = method === "direct" ? "PUT" : "PATCH";
      const location = `${service.uploadUrl}/elsewhere`;
      await service.set({ answerStatus: [{ host: "upload", method: verb, status: 307, location }] });
      const { error } = await send(place, { method }, { byFetch: true });
      expect(error).toMatchObject({ code: "location-refused" });
      expect(await service.requests(undefined, "elsewhere")).toEqual([]);
    },
  );

  test("names web origins as a reason where the browser hides a refusal without CORS headers", async () => {
    const body = '{"errors":["access forbidden for CORS-enabled API key with restricted access"]}';
    await service.set({ answerStatus: [{ host: "api", method: "POST", status: 403, cors: false, body }] });
    const { error } = await send(place, {});
    expect(error).toMatchObject({ name: "ConnectionError", code: "asset-unknown" });
    expect(error?.message).toBe(
      `Cannot request an upload location: the connection failed, or the service refuses this key from web pages of ${new URL(site.url).origin} (a browser doesn't tell which). An asset may have been created: look into the account before trying again`,
    );
    expect((await service.requests("POST")).map(({ status }) => status)).toEqual([403]);
  });

  test("tells a refusal of the service without its secrets", async () => {
    await service.set({
      answerStatus: [{ host: "api", status: 403, body: '{"errors":["not for you"]}', times: 1 }],
    });
    const { error } = await send(place, {});
    expect(error).toMatchObject({ name: "ServiceError", httpStatus: 403 });
  });
});
