import type { Locator, Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { serveSite } from "../runtimes/page/site.ts";
import { useService } from "../service/use-service.ts";
import { content, MiB } from "../support/content.ts";
import { inAll } from "../support/in-all.ts";
import { useOpened } from "../support/use-opened.ts";
import { handAddresses, send, start, uploaded } from "./actions.ts";
import { openPopupAbove } from "./listed.ts";
import { type ReceivedRequest, startUploadHost } from "./upload-host.ts";
import { useExtension } from "./use-extension.ts";

const SIZE = 17 * MiB;
const service = useService({ refuseOrigin: true });
const extension = useExtension(service, {
  change: (options) => options.getByLabel("Send the token to the upload host too").check(),
});
const [host, other] = [useOpened(() => startUploadHost()), useOpened(() => startUploadHost())];

/** Sends what a page asks it to, and tells when it has. */
const WORKER = `addEventListener("message", async ({ data: { url, init }, ports: [port] }) => {
  await fetch(url, init).catch(() => {});
  port.postMessage("sent");
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));`;

/** A web page at a host that the extension may reach, with a service worker, whose requests are in no tab. */
const site = useOpened(() => serveSite({ "page.js": "", "worker.js": WORKER }));
afterEach(() => {
  for (const each of [host, other]) each.clear();
});

const bearer = () => `Bearer ${service.token}`;
const unauthorized = { authorization: undefined };

async function startUpload(): Promise<{ popup: Page; row: Locator }> {
  await service.set({ answerShape: { set: host.locations } });
  const popup = await extension.open("popup.html?tab=1");
  return { popup, row: await send(popup, "video.mp4", content(SIZE)) };
}

const methodsSeen = () => host.requests.map(({ method }) => method);
/** Keeps the answer to the first PATCH until it is let go. */
function holdPart(): () => void {
  let letGo = () => {};
  const held = new Promise<undefined>((resolve) => {
    letGo = () => resolve(undefined);
  });
  const isFirst = () => methodsSeen().filter((method) => method === "PATCH").length === 1;
  host.answer = ({ method }) => (method === "PATCH" && isFirst() ? held : undefined);
  return letGo;
}
const ruleCount = () =>
  extension.inWorker<number>("chrome.declarativeNetRequest.getSessionRules().then((all) => all.length)");

inAll("the token goes with the DELETE of a cancelled upload, and no rule is left after it", async () => {
  const letGo = holdPart();
  const { row } = await startUpload();
  await expect.poll(methodsSeen).toContain("PATCH");
  await row.getByRole("button", { name: "Pause" }).click();
  await row.getByText("Paused").waitFor();
  await expect.poll(ruleCount).toBe(1);
  letGo();
  await row.getByRole("button", { name: "Cancel" }).click();
  await row.getByRole("button", { name: "End the upload" }).click();
  const deletes = () => host.requests.filter(({ method }) => method === "DELETE");
  await expect.poll(deletes).toMatchObject([{ authorization: bearer() }]);
  await expect.poll(ruleCount).toBe(1);
});

test("the token never goes with the search for videos, nor with the reading of one, on the same host", async () => {
  const letGo = holdPart();
  const { popup, row } = await startUpload();
  await expect.poll(methodsSeen).toContain("PATCH");
  const page = await extension.context.newPage();
  await page.goto(site.url);
  await page.setContent(`<video src="${host.origin}/private/delete?x=1.mp4"></video>`);
  const above = await openPopupAbove(extension, page);
  await above.listed();
  const privately = () => host.requests.filter(({ path }) => path.startsWith("/private/"));
  await expect.poll(() => privately().map(({ method }) => method)).toContain("HEAD");
  await above.close();
  await handAddresses(popup, { address: `${host.origin}/private/other.mp4`, title: "Read" });
  await start(popup, "Read");
  await expect.poll(() => privately().map(({ path }) => path)).toContain("/private/other.mp4");
  // Also where it reads the upload's own address, or sends to one that begins with it.
  const others = [
    [host.created, "GET"],
    [host.locations.tusEndpoint, "GET"],
    [`${host.created}/next`, "PATCH"],
  ];
  const sendAll = `Promise.all(${JSON.stringify(others)}.map(([url, method]) => fetch(url, { method }).catch(() => {})))`;
  await extension.inWorker(`${sendAll}.then(() => {})`);
  const isRead = ({ method, path }: ReceivedRequest) =>
    method === "GET" || path.startsWith("/private/") || path.endsWith("/next");
  const reads = host.requests.filter(isRead);
  expect(reads.length).toBeGreaterThan(4);
  expect(reads.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  letGo();
  await uploaded(row);
});

inAll("the token stays at the hosts of the location: an upload elsewhere doesn't get it", async () => {
  host.answer = ({ method }) =>
    method === "POST" ? { status: 201, headers: { location: `${other.origin}/files/one` } } : undefined;
  const { row } = await startUpload();
  await expect.poll(() => row.getAttribute("data-state")).toMatch(/^(done|failed)$/);
  expect(host.requests).toMatchObject([{ method: "POST", authorization: bearer() }]);
  expect(other.requests.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
});

test("a web page at an allowed host keeps its Origin at the service, and gets no token at the upload host", async () => {
  const letGo = holdPart();
  const { row } = await startUpload();
  await expect.poll(methodsSeen).toContain("PATCH");
  const page = await extension.context.newPage();
  await page.goto(site.url);
  /** Sends a request by the page itself, and by its service worker. */
  const fetchBoth = (url: string, method: string) =>
    page.evaluate(
      async ([url, method]) => {
        const init = { method };
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
      [url, method] as const,
    );
  const { origin } = new URL(site.url);
  await fetchBoth(`${service.baseUrl}/by-a-page`, "POST");
  expect(await service.requests("POST", "by-a-page")).toMatchObject([{ origin }, { origin }]);
  // Not even to the upload itself.
  await fetchBoth(host.created, "PATCH");
  await fetchBoth(`${host.origin}/private`, "POST");
  expect(host.requests.filter((each) => each.origin === origin)).toMatchObject([
    { method: "PATCH", ...unauthorized },
    { method: "PATCH", ...unauthorized },
    { method: "POST", ...unauthorized },
    { method: "POST", ...unauthorized },
  ]);
  letGo();
  await uploaded(row);
});
