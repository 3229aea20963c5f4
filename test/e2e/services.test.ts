/** The extension with services of other habits, with the account's token at the upload host, and with two services. */
import { expect, test } from "vitest";
import { spawnService } from "../service/spawned.ts";
import { useService } from "../service/use-service.ts";
import { content, MiB, sha256 } from "../support/content.ts";
import { inAll } from "../support/in-all.ts";
import { changeOptions, choose, openOptions, rowOf } from "./actions.ts";
import { expectWhole, waitUntilSent } from "./evidence.ts";
import { useExtension } from "./use-extension.ts";

const service = useService({ streamPrefix: "/api" });
const extension = useExtension(service, {
  change: async (options) => {
    await options.getByLabel("Path that ends a stream").fill("/api/stream/{id}/terminate");
    await options.getByLabel("Send the token to the upload host too").check();
  },
});

async function start(name: string, bytes: Uint8Array) {
  const popup = await extension.open("popup.html");
  await choose(popup, { name, bytes });
  const row = rowOf(popup, name);
  await row.getByRole("button", { name: "Start" }).click();
  return row;
}

async function endSession(id: string): Promise<string> {
  const page = await extension.open(`terminate.html?id=${id}`);
  await page.getByRole("button", { name: "End stream" }).click();
  await page.locator("#outcome").waitFor();
  // The service's own words are folded away.
  return (await page.locator("#outcome").textContent()) ?? "";
}

test("a service with every habit of its own gets its videos whole although the line broke, and a stream is ended", async () => {
  await service.set({
    refuseOrigin: true,
    omitLinks: true,
    nestedErrors: true,
    parts: true,
    streamPrefix: "/api",
    uploadAuthorization: "required",
    resetAfter: [{ host: "upload", method: "PATCH", bytes: 9_000_000, times: 1 }],
  });
  await (await start("video.mp4", content(10 * MiB))).getByText("Uploaded").waitFor();
  await expectWhole(service, 10 * MiB);
  await changeOptions(extension, (options) => options.getByLabel("Direct", { exact: true }).check());
  await (await start("direct.mp4", content(MiB))).getByText("Uploaded").waitFor();
  await changeOptions(extension, (options) => options.getByLabel("Resumable", { exact: true }).check());
  expect(await endSession("launch-stream")).toMatch(/^Ended, if it was live/);
  expect(await endSession("no-such-stream")).toMatch(/doesn't know this stream.*stream not found/s);
  expect((await service.streams()).find(({ id }) => id === "launch-stream")?.live).toBe(false);

  const requests = await service.requests();
  const sent = requests.filter(({ host, method }) => host === "upload" && method !== "OPTIONS");
  const methods = sent.map(({ method }) => method);
  expect(methods).toEqual(expect.arrayContaining(["POST", "PATCH", "HEAD", "PATCH", "PUT"]));
  for (const { hasAuthorization } of sent) expect(hasAuthorization).toBe(true);
  for (const { origin } of requests.filter(({ host }) => host === "api")) expect(origin).toBeNull();
  expect(requests.filter(({ path }) => path.includes("request-upload"))).toHaveLength(2);
});

inAll("an upload that goes on after a start of the browser is given the token again", async () => {
  await service.set({ uploadAuthorization: "required", throttle: MiB / 2 });
  const row = await start("video.mp4", content(12 * MiB));
  await waitUntilSent(service, MiB);
  await row.getByRole("button", { name: "Pause" }).click();
  await row.getByText("Paused").waitFor();
  // What a start of the browser takes away, and what happens at it.
  await extension.inWorker(`(async () => {
    await chrome.storage.session.clear();
    const rules = await chrome.declarativeNetRequest.getSessionRules();
    await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: rules.map(({ id }) => id) });
    chrome.runtime.onStartup.dispatch();
  })()`);
  await service.set({ throttle: 0 });
  await row.getByRole("button", { name: "Continue" }).click();
  await row.getByText("Uploaded").waitFor();
});

inAll("a running upload stays with its service and its token when both change", async () => {
  const other = await spawnService({ refuseOrigin: true, uploadAuthorization: "required" });
  try {
    await service.set({
      throttle: MiB / 2,
      // Each refuses what isn't its own.
      uploadAuthorization: "required",
      // The running one must ask its own service again, too.
      resetAfter: [{ host: "upload", method: "PATCH", bytes: 9_000_000, times: 1 }],
    });
    const running = await start("running.mp4", content(12 * MiB));
    await waitUntilSent(service, MiB);
    const options = await openOptions(extension);
    await options.locator("#change").click();
    await options.getByLabel("Address of the service").fill(other.baseUrl);
    // The first service doesn't know this one: it would answer 401.
    await options.getByLabel("Token", { exact: true }).fill(other.otherToken);
    await options.getByRole("button", { name: "Connect", exact: true }).click();
    await options.getByText("Connected", { exact: true }).waitFor();
    await options.close();
    const next = await start("next.mp4", content(2 * MiB, 2));
    await next.getByText("Uploaded").waitFor();
    expect(await running.getByText("Uploaded").count()).toBe(0);
    await service.set({ throttle: 0 });
    await running.getByText("Uploaded").waitFor();
    for (const [at, name, bytes, account] of [
      [service, "running.mp4", content(12 * MiB), "demo"],
      [other, "next.mp4", content(2 * MiB, 2), "other"],
    ] as const) {
      const assets = await at.assets();
      expect(assets).toMatchObject([{ asset: { name, creatorId: { value: account } } }]);
      expect((await at.whole(assets[0]?.asset.id ?? "")).sha256).toBe(sha256(bytes));
      expect(await at.requests("POST", "request-upload")).toHaveLength(1);
    }
  } finally {
    await other.stop();
  }
});
