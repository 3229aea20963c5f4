/** What the options page does together with the rest of the extension. By itself it is tested with the other pages. */

import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useService } from "../service/use-service.ts";
import { content, MiB } from "../support/content.ts";
import { inAll } from "../support/in-all.ts";
import { MARKER } from "../support/marker.ts";
import { changeOptions, choose, clearList, rowOf, setUp } from "./actions.ts";
import { waitUntilSent } from "./evidence.ts";
import { loaded } from "./extension.ts";
import { readStored } from "./stored-jobs.ts";
import { useExtension } from "./use-extension.ts";

const service = useService({ refuseOrigin: true });
const extension = useExtension(undefined, { cleanUp: "pages" });
const connect = (page: Page) => page.getByRole("button", { name: "Connect", exact: true }).click();
const told = (page: Page, text: string) => page.getByRole("status").filter({ hasText: text }).waitFor();
const stored = () => extension.inWorker<Record<string, unknown>>("chrome.storage.local.get(null)");

test("connecting checks the account: host, token, paths; the first video is followed until it is ready", async () => {
  const page = await extension.open("options.html");
  const token = page.getByLabel("Token", { exact: true });
  await page.getByLabel("Address of the service").fill("http://127.0.0.1:9");
  await token.fill(`${MARKER}-unknown-token`);
  await connect(page);
  await page.getByText("No answer from 127.0.0.1:9.").waitFor();

  await page.getByLabel("Address of the service").fill(service.baseUrl);
  await connect(page);
  await page.getByText("The service doesn't accept the token.").waitFor();
  // The service's sentence repeats the token.
  expect(await page.content()).not.toContain(MARKER);
  await service.set({ streamPrefix: "/api", assetCall: true, saysNotFound: true });
  await token.fill(service.token);
  await connect(page);
  await told(page, "Connected");
  const paths = { terminate: "/api/stream/{id}/terminate", asset: "/api/asset/{id}" };
  const settings = { address: service.baseUrl, paths };
  expect(await stored()).toMatchObject({ settings, token: service.token });
  expect(await stored()).not.toHaveProperty("isUnchecked");
  // No stream was ended by that.
  for (const { path, origin } of await service.requests("DELETE")) {
    expect(path).toMatch(/^(\/api)?\/stream\/upcut-check-[\w-]+\/terminate$/);
    expect(origin).toBeNull();
  }
  expect((await service.streams()).some(({ live }) => live)).toBe(true);

  const [mimeType, buffer] = ["video/mp4", await readFile("test/service/samples/launch-video.mp4")];
  const [list] = await Promise.all([
    extension.context.waitForEvent("page"),
    page.setInputFiles("#files", { name: "first.mp4", mimeType, buffer }),
  ]);
  await rowOf(list, "first").getByText("Ready").waitFor();
  const watching = extension.context.waitForEvent("page");
  await rowOf(list, "first").getByRole("link", { name: "Watch" }).click();
  await loaded(await watching, /\/hls\/\w+\/index\.m3u8$/);
  await rowOf(list, "first").getByRole("button", { name: "More" }).click();
  await rowOf(list, "first").getByText("Verified: ").waitFor();
  const ending = await extension.open("terminate.html?id=launch-stream");
  await ending.getByRole("button", { name: "End stream" }).click();
  await ending.getByText("Ended, if it was live").waitFor();
  await clearList(extension);
});

inAll(
  "what was saved reaches the service in the next draft's request, and nothing that was left alone",
  async () => {
    await extension.inWorker("chrome.storage.local.clear()");
    await setUp(extension, service);
    // Open all the while: nothing has to be loaded again.
    const popup = await extension.open("popup.html");
    const received = async (name: string) => {
      await choose(popup, { name, bytes: content(MiB) });
      await rowOf(popup, name).getByRole("button", { name: "Start" }).click();
      await rowOf(popup, name).getByText("Uploaded").waitFor();
      return (await service.assets()).find(({ asset }) => asset.name === name)?.received;
    };
    expect(await received("plain.mp4")).toEqual({ name: "plain.mp4" });
    await changeOptions(extension, async (options) => {
      await options.getByLabel("Make MP4 files").check();
      await options.getByLabel("Type", { exact: true }).fill("webhook");
      await options.getByLabel("Webhook context").fill('{"plan": {"name": "members"}}');
      await options.getByLabel("Allowed origins").fill("https://a.example\nhttps://b.example");
      await options.getByRole("button", { name: "Add a profile" }).click();
      await options.getByLabel("Name").last().fill("720p");
      await options.getByRole("group", { name: "Profile 1" }).getByLabel("Width").fill("1280");
      await options.getByLabel("Further fields as JSON").fill('{"signed": true}');
    });
    expect(await received("full.mp4")).toEqual({
      name: "full.mp4",
      staticMp4: true,
      playbackPolicy: {
        type: "webhook",
        webhookContext: { plan: { name: "members" } },
        allowedOrigins: ["https://a.example", "https://b.example"],
      },
      profiles: [{ name: "720p", width: 1280 }],
      signed: true,
    });
  },
);

test("“Forget…” stops uploads, and leaves no token, list, host or rule behind", async () => {
  await service.set({ throttle: MiB });
  const settings = { address: service.baseUrl, reviewFirst: true };
  await extension.inWorker(`chrome.storage.local.set(${JSON.stringify({ settings })})`);
  const popup = await extension.open("popup.html");
  await choose(popup, { name: "running.mp4", bytes: content(24 * MiB) });
  await rowOf(popup, "running.mp4").getByRole("button", { name: "Start" }).click();
  await waitUntilSent(service, MiB);
  const page = await extension.open("options.html");
  await page.getByRole("button", { name: "Forget…" }).click();
  await page.getByText("1 upload isn't finished.").waitFor();
  await page.getByRole("button", { name: "Forget", exact: true }).click();
  await page.getByText("The account is forgotten").waitFor();
  expect(Object.keys(await stored())).toEqual(["settings"]);
  expect(await readStored(page)).toEqual([]);
  const left = await extension.inWorker<{ origins: string[]; session: string }>(`(async () => ({
    origins: (await chrome.permissions.getAll()).origins,
    session: JSON.stringify(await chrome.storage.session.get(null)),
  }))()`);
  expect(left.origins).toEqual([]);
  expect(left.session).not.toContain(MARKER);
  // The upload's request has broken off.
  await service.set({ throttle: 0 });
  await expect
    .poll(async () => (await service.requests("PATCH")).map(({ status }) => status))
    .toEqual(["reset"]);
  expect((await service.uploads())[0]?.arrived).toBeLessThan(24 * MiB);
  await expect.poll(() => rowOf(popup, "running.mp4").count()).toBe(0);
  // The next upload is not begun: the popup asks for an account.
  await popup.reload();
  await popup.locator("#first-run").waitFor();
});
