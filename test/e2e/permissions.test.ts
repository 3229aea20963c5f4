import type { Page } from "playwright-core";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { content, sha256 } from "../content.ts";
import { type FaultProxy, startProxy } from "../faults/proxy.ts";
import { spawnService } from "../service/spawned.ts";
import { useStarted } from "../service/use-service.ts";
import { changeOptions, choose, rowOf } from "./actions.ts";
import { expectWhole, waitUntilSent } from "./evidence.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
const SIZE = 12 * MiB;
/** The upload host goes by another name, which is not allowed with the service's. */
const PATTERN = "http://localhost/*";
let upload: FaultProxy;

const service = useStarted(async () => {
  upload = await startProxy();
  const spawned = await spawnService({}, { advertise: upload.url.replace("127.0.0.1", "localhost") });
  upload.target = spawned.uploadUrl;
  return spawned;
});
const extension = useExtension(service, { allowed: { permissions: ["power"] } });
afterEach(async () => {
  upload.clear();
  await extension.inWorker(`chrome.permissions.remove({ origins: ["${PATTERN}"] })`);
});
afterAll(() => upload.close());

const video = { name: "video.mp4", bytes: content(SIZE) };

async function start(popup: Page, name = "video.mp4") {
  const row = rowOf(popup, name);
  await row.getByRole("button", { name: "Start" }).click();
  return row;
}

describe("an upload host that is not allowed", () => {
  test("and lets no other origin in is told as soon as that shows, and the click goes on", async () => {
    upload.choose = () => ({
      kind: "alter",
      change: (head) => head.replace(/^access-control-.*\r\n/gim, ""),
    });
    const popup = await extension.open("popup.html");
    await choose(popup, video);
    const row = await start(popup);
    await row.getByText("Allow the browser to send to localhost").waitFor();
    await extension.allow(PATTERN);
    await row.getByRole("button", { name: "Allow this host" }).click();
    await row.getByText("Uploaded").waitFor();
    await expectWhole(service, SIZE);
  });

  test("and is only down for a while is waited for, not asked for", async () => {
    const popup = await extension.open("popup.html");
    await choose(popup, video);
    void upload.refuse(3000);
    const row = await start(popup);
    await row.getByText("Connection lost.").waitFor();
    await row.getByText("Uploaded").waitFor();
    await expectWhole(service, SIZE);
  });

  const authorize = (on: boolean) =>
    changeOptions(extension, (options) =>
      options.getByLabel("Send the token to the upload host too").setChecked(on),
    );

  test("and is to get the account's authorization is asked for before anything is sent there", async () => {
    await authorize(true);
    await service.set({ uploadAuthorization: "required" });
    const popup = await extension.open("popup.html");
    await choose(popup, video);
    const row = await start(popup);
    await row.getByText("Allow the browser to send to localhost").waitFor();
    const toUploadHost = async () => (await service.requests()).filter(({ host }) => host === "upload");
    expect(await toUploadHost()).toEqual([]);
    await extension.allow(PATTERN);
    await row.getByRole("button", { name: "Allow this host" }).click();
    await row.getByText("Uploaded").waitFor();
    await expectWhole(service, SIZE);
    const sent = (await toUploadHost()).filter(({ method }) => method !== "OPTIONS");
    expect(sent.every(({ hasAuthorization }) => hasAuthorization)).toBe(true);
    await authorize(false);
  });

  test("and is to get it is asked for also where the upload was paused while its location came", async () => {
    await authorize(true);
    await service.set({ uploadAuthorization: "required", latency: 2000 });
    const popup = await extension.open("popup.html");
    await choose(popup, video);
    const row = await start(popup);
    await row.getByText("Asking the service").waitFor();
    await row.getByRole("button", { name: "Pause" }).click();
    await row.getByText("Paused").waitFor();
    const kept = () => extension.inWorker("chrome.storage.session.get(null).then(JSON.stringify)");
    await expect.poll(kept).toContain('"answered"');
    await service.set({ latency: 0 });
    await row.getByRole("button", { name: "Continue" }).click();
    await row.getByText("Allow the browser to send to localhost").waitFor();
    await extension.allow(PATTERN);
    await row.getByRole("button", { name: "Allow this host" }).click();
    await row.getByText("Uploaded").waitFor();
    await expectWhole(service, SIZE);
    await authorize(false);
  });
});

describe("a token that is no longer right", () => {
  afterEach(() => setToken(service.token));

  const setToken = (token: string) =>
    changeOptions(extension, async (options) => {
      await options.getByRole("button", { name: "Replace" }).click();
      await options.getByLabel("Token", { exact: true }).fill(token);
    });

  test("doesn't disturb a running upload; the next one reports it, and resumes when the token is right", async () => {
    await service.set({ throttle: MiB / 2 });
    await changeOptions(extension, (options) => options.getByLabel("Uploads at a time").fill("1"));
    const popup = await extension.open("popup.html");
    await choose(popup, video);
    const first = await start(popup);
    await waitUntilSent(service, MiB);
    await choose(popup, { name: "next.mp4", bytes: content(2 * MiB) });
    const next = await start(popup, "next.mp4");
    await next.getByText("Queued").waitFor();
    await setToken("of-nobody");
    await service.set({ throttle: 0 });
    await first.getByText("Uploaded").waitFor();
    const [asset] = await service.assets();
    expect((await service.whole(asset?.asset.id ?? "")).sha256).toBe(sha256(video.bytes));
    await next.getByText("doesn't accept the token").waitFor();
    await next.getByRole("button", { name: "Open options" }).click();
    const [options] = extension.context.pages();
    await expect.poll(() => options?.evaluate(() => document.visibilityState)).toBe("visible");
    await setToken(service.token);
    await next.getByRole("button", { name: "Try again" }).click();
    await next.getByText("Uploaded").waitFor();
    expect(await service.assets()).toHaveLength(2);
  });

  test("and another account's is of no concern to what was begun: it ends where it began", async () => {
    await service.set({ throttle: MiB / 2 });
    const popup = await extension.open("popup.html");
    await choose(popup, video);
    const row = await start(popup);
    await waitUntilSent(service, MiB);
    await row.getByRole("button", { name: "Pause" }).click();
    await row.getByText("Paused").waitFor();
    await setToken(service.otherToken);
    await service.set({ throttle: 0 });
    await row.getByRole("button", { name: "Continue" }).click();
    await row.getByText("Uploaded").waitFor();
    await expectWhole(service, SIZE);
    expect(await service.assets()).toMatchObject([{ account: "demo" }]);
  });
});

describe("while an upload runs", () => {
  test("the badge counts its percent, and marks what needs the person", async () => {
    const badge = () => extension.inWorker<string>("chrome.action.getBadgeText({})");
    await service.set({ throttle: MiB / 2 });
    const popup = await extension.open("popup.html");
    await choose(popup, video);
    await start(popup);
    await expect.poll(badge).toMatch(/^\d+%$/);
    await service.set({ throttle: 0 });
    await rowOf(popup, "video.mp4").getByText("Uploaded").waitFor();
    await expect.poll(badge).toBe("");
    await service.set({ answerStatus: [{ host: "api", method: "POST", status: 500, times: 1 }] });
    await choose(popup, { name: "refused.mp4", bytes: content(MiB) });
    await start(popup, "refused.mp4");
    await expect.poll(badge).toBe("1");
  });

  test("the computer is kept awake where that is set, and no longer", async () => {
    await changeOptions(extension, (options) =>
      options.getByLabel("Keep the computer awake while uploading").check(),
    );
    // What the browser was told is nowhere to be read, so each call leaves its name, and is made.
    await extension.inWorker(`(() => {
      globalThis.told = [];
      for (const name of ["requestKeepAwake", "releaseKeepAwake"]) {
        const call = chrome.power[name].bind(chrome.power);
        chrome.power[name] = (...given) => { told.push([name, ...given].join(" ")); return call(...given); };
      }
    })()`);
    const told = () => extension.inWorker<string[]>("globalThis.told");
    await service.set({ throttle: MiB / 2 });
    const popup = await extension.open("popup.html");
    await choose(popup, video);
    const row = await start(popup);
    await waitUntilSent(service, MiB);
    expect((await told()).at(-1)).toBe("requestKeepAwake system");
    await row.getByRole("button", { name: "Pause" }).click();
    await row.getByText("Paused").waitFor();
    await expect.poll(async () => (await told()).at(-1)).toBe("releaseKeepAwake");
    await service.set({ throttle: 0 });
    await row.getByRole("button", { name: "Continue" }).click();
    await row.getByText("Uploaded").waitFor();
    await expect.poll(async () => (await told()).at(-1)).toBe("releaseKeepAwake");
    expect((await told()).filter((each) => each === "requestKeepAwake system").length).toBeGreaterThan(1);
  });
});
