import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { content } from "../content.ts";
import { choose, clearList, rowOf, setUp } from "./actions.ts";
import { useExtension } from "./use-extension.ts";

const extension = useExtension(undefined, { cleanUp: "nothing" });
let server: Server;
let answer: (response: ServerResponse) => void;

/** Answers that begin and don't come to an end. */
const ANSWERS: [string, (response: ServerResponse) => void][] = [
  ["drips", (response) => drip(response, 100, " ")],
  ["is endless", (response) => drip(response, 1, " ".repeat(8 * 1024))],
  ["falls silent", (response) => void response.write("{")],
];

function drip(response: ServerResponse, pause: number, piece: string): void {
  const dripping = setInterval(() => response.write(piece), pause);
  response.once("close", () => clearInterval(dripping));
}

beforeAll(async () => {
  const begun: ServerResponse[] = [];
  server = createServer((request, response) => {
    request.resume();
    begun.push(response);
    response.writeHead(200, { "content-type": "application/json" });
    answer(response);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await setUp(extension, { baseUrl, token: "any" }, (options) =>
    options.getByLabel("Uploads at a time").fill("3"),
  );
});
afterAll(() => {
  server?.closeAllConnections();
  server?.close();
});

test("answers of the account that don't come to an end are given up, and the worker hears again", async () => {
  const answers = ANSWERS.map(([, how]) => how);
  answer = (response) => answers.shift()?.(response);
  const popup = await extension.open("popup.html?tab=1");
  for (const [name] of ANSWERS) {
    await choose(popup, { name, bytes: content(1024) });
    await rowOf(popup, name).getByRole("button", { name: "Start" }).click();
    await rowOf(popup, name).getByText("Asking the service").waitFor();
  }
  for (const [name] of ANSWERS)
    await rowOf(popup, name).getByRole("button", { name: /again/i }).waitFor({ timeout: 40_000 });
  const settings = await popup.evaluate(() =>
    chrome.runtime.sendMessage({ to: "background", type: "read-settings" }),
  );
  expect(settings).toHaveProperty("address");
  await clearList(extension);
});

test("the end of a session whose answer drips is reported as unknown", async () => {
  answer = (response) => drip(response, 100, " ");
  const page = await extension.open("terminate.html?id=one");
  await page.getByRole("button", { name: "End stream" }).click();
  await page.locator("#outcome").waitFor({ timeout: 40_000 });
  await page.close();
});

test("a worker that an answer keeps busy is given up", async () => {
  answer = () => {};
  const popup = await extension.open("popup.html?tab=1");
  await choose(popup, { name: "video.mp4", bytes: content(1024) });
  const row = rowOf(popup, "video.mp4");
  await row.getByRole("button", { name: "Start" }).click();
  await row.getByText("Asking the service").waitFor();
  await popup.evaluate(() => {
    Object.assign(globalThis, { isWorkerFree: false });
    new BroadcastChannel("worker-is-free").addEventListener("message", () => {
      Object.assign(globalThis, { isWorkerFree: true });
    });
  });
  await extension.inWorker(`void setTimeout(() => {
    for (const end = Date.now() + 60_000; Date.now() < end; );
    new BroadcastChannel("worker-is-free").postMessage("");
  })`);
  await row.getByRole("button", { name: /again/i }).waitFor({ timeout: 90_000 });
  expect(await popup.evaluate(() => (globalThis as { isWorkerFree?: boolean }).isWorkerFree)).toBe(false);
});
