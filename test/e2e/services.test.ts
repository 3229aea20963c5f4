import { describe, expect, test } from "vitest";
import { content, sha256 } from "../content.ts";
import { spawnService } from "../service/spawned.ts";
import type { Switches } from "../service/switches.ts";
import { useService } from "../service/use-service.ts";
import { changeOptions, choose, rowOf } from "./actions.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
const service = useService();
const extension = useExtension(service);

const configure = (prefix: string, authorization: boolean) =>
  changeOptions(extension, async (options) => {
    const path = prefix === "" ? "" : `${prefix}/stream/{id}/terminate`;
    await options.getByLabel("Path that ends a stream").fill(path);
    await options.getByLabel("Send the token to the upload host too").setChecked(authorization);
  });

/** Uploads a video by the popup, which the line cuts once in the middle. */
async function uploadVideo(name: string, size = 10 * MiB): Promise<void> {
  await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: 9_000_000, times: 1 }] });
  const popup = await extension.open("popup.html");
  await choose(popup, { name, bytes: content(size) });
  await rowOf(popup, name).getByRole("button", { name: "Start" }).click();
  await rowOf(popup, name).getByText("Uploaded").waitFor();
  const [stored, ...others] = await service.assets();
  expect(others).toEqual([]);
  expect((await service.whole(stored?.asset.id ?? "")).sha256).toBe(sha256(content(size)));
  await popup.close();
}

async function endSession(id: string): Promise<string> {
  const info = JSON.stringify({ menuItemId: "selection", selectionText: id, editable: false, pageUrl: "" });
  const [page] = await Promise.all([
    extension.context.waitForEvent("page"),
    extension.inWorker(`chrome.contextMenus.onClicked.dispatch(${info}, { id: 1 })`),
  ]);
  await page.getByRole("button", { name: "End stream" }).click();
  await page.locator("#outcome").waitFor();
  const told = await page.locator("#outcome").innerText();
  await page.close();
  return told;
}

const HABITS: [string, Partial<Switches>][] = [
  ["as documented", {}],
  ["that refuses requests with an Origin", { refuseOrigin: true }],
  ["that sends no links", { omitLinks: true }],
  ["that nests its errors", { nestedErrors: true }],
  ["that counts in parts of 8 MiB", { parts: true }],
  ["that has the stream calls under a prefix", { streamPrefix: "/api" }],
  ["that wants the account's authorization at the upload host", { uploadAuthorization: "required" }],
  [
    "that does all this at once",
    {
      refuseOrigin: true,
      omitLinks: true,
      nestedErrors: true,
      parts: true,
      streamPrefix: "/api",
      uploadAuthorization: "required",
    },
  ],
];

describe.each(HABITS)("with a service %s", (_, switches) => {
  test("a video arrives whole although the line broke, and a session is ended", async () => {
    const { streamPrefix = "", uploadAuthorization } = switches;
    await configure(streamPrefix, uploadAuthorization === "required");
    await service.set(switches);
    await uploadVideo("video.mp4");
    expect(await endSession("launch-stream")).toMatch(/^Ended, if it was live/);
    expect(await endSession("no-such-stream")).toMatch(/doesn't know this stream.*stream not found/s);
    expect((await service.streams()).find(({ id }) => id === "launch-stream")?.live).toBe(false);

    const requests = await service.requests();
    const toUploadHost = requests.filter(({ host, method }) => host === "upload" && method !== "OPTIONS");
    expect(toUploadHost.map(({ method }) => method)).toEqual(
      expect.arrayContaining(["POST", "PATCH", "HEAD", "PATCH"]),
    );
    // The account's token goes there where that was turned on, and nowhere else.
    for (const { hasAuthorization } of toUploadHost)
      expect(hasAuthorization).toBe(uploadAuthorization === "required");
    for (const { origin } of requests.filter(({ host }) => host === "api")) expect(origin).toBeNull();
    expect(requests.filter(({ path }) => path.includes("request-upload"))).toHaveLength(1);
  });
});

describe("the account's authorization at the upload host", () => {
  test("goes with a direct upload too", async () => {
    await configure("", true);
    await changeOptions(extension, (options) => options.getByLabel("Direct", { exact: true }).check());
    await service.set({ uploadAuthorization: "required" });
    const popup = await extension.open("popup.html");
    await choose(popup, { name: "direct.mp4", bytes: content(2 * MiB) });
    const row = rowOf(popup, "direct.mp4");
    await row.getByRole("button", { name: "Start" }).click();
    await row.getByText("Uploaded").waitFor();
    const [stored] = await service.assets();
    expect((await service.whole(stored?.asset.id ?? "")).sha256).toBe(sha256(content(2 * MiB)));
    expect(await service.requests("PUT")).toMatchObject([{ hasAuthorization: true, status: 200 }]);
    await changeOptions(extension, (options) => options.getByLabel("Resumable", { exact: true }).check());
  });

  test("is given again after a start of the browser, to an upload that goes on", async () => {
    await configure("", true);
    await service.set({ uploadAuthorization: "required", throttle: MiB / 2 });
    const popup = await extension.open("popup.html");
    await choose(popup, { name: "video.mp4", bytes: content(12 * MiB) });
    const row = rowOf(popup, "video.mp4");
    await row.getByRole("button", { name: "Start" }).click();
    await expect.poll(async () => (await service.uploads())[0]?.arrived ?? 0).toBeGreaterThan(MiB);
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
    await popup.close();
  });

  test("never takes one service's token to another's upload host", async () => {
    const other = await spawnService({ refuseOrigin: true });
    try {
      await configure("", true);
      // Each refuses what isn't its own.
      await service.set({ throttle: MiB / 2, uploadAuthorization: "required" });
      await other.set({ uploadAuthorization: "required" });
      const popup = await extension.open("popup.html");
      await choose(popup, { name: "first.mp4", bytes: content(12 * MiB) });
      await rowOf(popup, "first.mp4").getByRole("button", { name: "Start" }).click();
      await expect.poll(async () => (await service.uploads())[0]?.arrived ?? 0).toBeGreaterThan(MiB);
      await changeOptions(extension, async (options) => {
        await options.getByLabel("Address of the service").fill(other.baseUrl);
        await options.getByRole("button", { name: "Replace" }).click();
        // The first service doesn't know this one: it would answer 401.
        await options.getByLabel("Token", { exact: true }).fill(other.token.replace(/demo$/, "other"));
      });
      await choose(popup, { name: "second.mp4", bytes: content(2 * MiB) });
      await rowOf(popup, "second.mp4").getByRole("button", { name: "Start" }).click();
      await rowOf(popup, "second.mp4").getByText("Uploaded").waitFor();
      await service.set({ throttle: 0 });
      await rowOf(popup, "first.mp4").getByText("Uploaded").waitFor();
      await popup.close();
    } finally {
      await changeOptions(extension, async (options) => {
        await options.getByLabel("Address of the service").fill(service.baseUrl);
        await options.getByRole("button", { name: "Replace" }).click();
        await options.getByLabel("Token", { exact: true }).fill(service.token);
      });
      await other.stop();
    }
  });
});
