import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { content } from "../content.ts";
import { useService } from "../service/use-service.ts";
import { choose, rowOf } from "./actions.ts";
import { openPopupAbove } from "./listed.ts";
import { startUploadHost, type UploadHost } from "./upload-host.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
const SIZE = 17 * MiB;
const service = useService({ refuseOrigin: true });
const extension = useExtension(service, {
  change: (options) => options.getByLabel("Send the token to the upload host too").check(),
});
let host: UploadHost;
let other: UploadHost;
/** A web page at a host that the extension may reach, with a service worker, whose requests are in no tab. */
let site: Server;
let siteUrl: string;

/** Sends what a page asks it to, and tells when it has. */
const WORKER = `addEventListener("message", async ({ data: { url, init }, ports: [port] }) => {
  await fetch(url, init).catch(() => {});
  port.postMessage("sent");
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));`;

beforeAll(async () => {
  host = await startUploadHost();
  other = await startUploadHost();
  site = createServer((request, response) => {
    const isWorker = request.url === "/worker.js";
    response.writeHead(200, { "content-type": isWorker ? "text/javascript" : "text/html" });
    response.end(
      isWorker ? WORKER : `<title>A page</title><video src="${host.origin}/private/delete?x=1.mp4">`,
    );
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => site.once("listening", resolve));
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
});
afterEach(() => {
  for (const each of [host, other]) each.clear();
});
afterAll(async () => {
  for (const each of [host, other]) await each?.close();
  site?.closeAllConnections();
  site?.close();
});

const bearer = () => `Bearer ${service.token}`;

/** Starts an upload whose requests take their time. */
async function startUpload(latency: number): Promise<Page> {
  await service.set({ answerShape: { set: host.locations } });
  host.latency = latency;
  const popup = await extension.open("popup.html?tab=1");
  await choose(popup, { name: "video.mp4", bytes: content(SIZE) });
  await rowOf(popup, "video.mp4").getByRole("button", { name: "Start" }).click();
  return popup;
}

const methodsSeen = () => host.requests.map(({ method }) => method);
const ruleCount = () =>
  extension.inWorker<number>("chrome.declarativeNetRequest.getSessionRules().then((all) => all.length)");

describe("the account's authorization", () => {
  test("goes with the upload's own requests, HEAD too, and ends with the upload", async () => {
    let breaks = 1;
    host.answer = ({ method }) => (method === "PATCH" && breaks-- > 0 ? "break" : undefined);
    const popup = await startUpload(0);
    await rowOf(popup, "video.mp4").getByText("Uploaded").waitFor();
    expect(methodsSeen()).toEqual(expect.arrayContaining(["POST", "PATCH", "HEAD"]));
    expect(host.requests.filter(({ authorization }) => authorization !== bearer())).toEqual([]);
    await expect.poll(ruleCount).toBe(1);
  });

  test("goes with the DELETE of a cancelled upload, and not with what ends after it", async () => {
    const popup = await startUpload(1000);
    await expect.poll(methodsSeen).toContain("PATCH");
    await rowOf(popup, "video.mp4").getByRole("button", { name: "Pause" }).click();
    await rowOf(popup, "video.mp4").getByText("Paused").waitFor();
    await expect.poll(ruleCount).toBe(1);
    host.latency = 0;
    await rowOf(popup, "video.mp4").getByRole("button", { name: "Cancel" }).click();
    await rowOf(popup, "video.mp4").getByRole("button", { name: "End the upload" }).click();
    const deletes = () => host.requests.filter(({ method }) => method === "DELETE");
    await expect.poll(deletes).toMatchObject([{ authorization: bearer() }]);
    await expect.poll(ruleCount).toBe(1);
  });

  test("never goes with the search for videos, nor with the reading of one, on the same host", async () => {
    const popup = await startUpload(3000);
    await expect.poll(methodsSeen).toContain("PATCH");
    const page = await extension.context.newPage();
    await page.goto(siteUrl);
    const above = await openPopupAbove(extension, page);
    await above.listed();
    const privately = () => host.requests.filter(({ path }) => path.startsWith("/private/"));
    await expect.poll(() => privately().map(({ method }) => method)).toContain("HEAD");
    await above.close();
    await popup.evaluate((address) => {
      const videos = [{ address, title: "Read" }];
      new BroadcastChannel("upcut-to-offscreen").postMessage({ type: "addresses", batch: "one", videos });
    }, `${host.origin}/private/other.mp4`);
    await rowOf(popup, "Read").getByRole("button", { name: "Start" }).click();
    await expect.poll(() => privately().map(({ path }) => path)).toContain("/private/other.mp4");
    // Also where a page knows the upload's own address.
    await popup.evaluate(
      (addresses) => Promise.all(addresses.map((each) => fetch(each).catch(() => {}))),
      [host.created, host.locations.tusEndpoint],
    );
    const reads = host.requests.filter(
      ({ method, path }) => method === "GET" || path.startsWith("/private/"),
    );
    expect(reads.length).toBeGreaterThan(3);
    expect(reads.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    host.latency = 0;
    await rowOf(popup, "video.mp4").getByText("Uploaded").waitFor();
    await page.close();
  });

  test("stays at the hosts of the location: an upload address elsewhere doesn't get it", async () => {
    host.answer = ({ method }) =>
      method === "POST" ? { status: 201, headers: { location: `${other.origin}/files/one` } } : undefined;
    const popup = await startUpload(0);
    await expect
      .poll(async () => (await rowOf(popup, "video.mp4").innerText()).replace(/\s+/g, " "), {
        timeout: 60_000,
      })
      .toMatch(/Uploaded|no longer takes|can't|failed/i);
    expect(host.requests).toMatchObject([{ method: "POST", authorization: bearer() }]);
    expect(other.requests.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  });
});

describe("a web page at an allowed host", () => {
  /** Sends a request by the page itself, and by its service worker. */
  async function sendByPage(page: Page, url: string, init: { method: string; body?: string }): Promise<void> {
    await page.evaluate(
      async ([url, init]) => {
        await fetch(url, init).catch(() => {});
        await navigator.serviceWorker.register("worker.js");
        const { active } = await navigator.serviceWorker.ready;
        const { port1, port2 } = new MessageChannel();
        const sent = new Promise((resolve) => {
          port1.onmessage = resolve;
        });
        active?.postMessage({ url, init }, [port2]);
        await sent;
      },
      [url, init] as const,
    );
  }

  test("keeps its Origin in its requests to the base address", async () => {
    const page = await extension.context.newPage();
    await page.goto(siteUrl);
    await sendByPage(page, `${service.baseUrl}/by-a-page`, { method: "POST", body: "any" });
    const origin = new URL(siteUrl).origin;
    expect(await service.requests("POST", "by-a-page")).toMatchObject([{ origin }, { origin }]);
    await page.close();
  });

  test("gets no authorization in its requests to the upload host, not even to the upload itself", async () => {
    const popup = await startUpload(3000);
    await expect.poll(methodsSeen).toContain("PATCH");
    const page = await extension.context.newPage();
    await page.goto(siteUrl);
    host.latency = 0;
    await sendByPage(page, host.created, { method: "PATCH" });
    await sendByPage(page, `${host.origin}/private`, { method: "POST" });
    const own = host.requests.filter(({ origin }) => origin === new URL(siteUrl).origin);
    expect(own.map(({ method }) => method)).toEqual(["PATCH", "PATCH", "POST", "POST"]);
    expect(own.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    await rowOf(popup, "video.mp4").getByText("Uploaded").waitFor();
    await page.close();
  });
});
