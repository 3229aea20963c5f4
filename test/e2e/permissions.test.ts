/** What the browser has to allow, and what shows of a running upload outside of pages. */
import { afterEach, expect, test } from "vitest";
import { startProxy } from "../faults/proxy.ts";
import { spawnService } from "../service/spawned.ts";
import { useStarted } from "../service/use-service.ts";
import { content, MiB } from "../support/content.ts";
import { inAll } from "../support/in-all.ts";
import { useOpened } from "../support/use-opened.ts";
import { allowByClick, changeOptions, send, uploaded } from "./actions.ts";
import { expectWhole, waitUntilSent } from "./evidence.ts";
import { useExtension } from "./use-extension.ts";

const SIZE = 12 * MiB;
/** The upload host goes by another name, which is not allowed with the service's. */
const PATTERN = "http://localhost/*";
const upload = useOpened(() => startProxy());
const service = useStarted(async () => {
  const spawned = await spawnService({}, { advertise: upload.url.replace("127.0.0.1", "localhost") });
  upload.target = spawned.uploadUrl;
  return spawned;
});
const extension = useExtension(service);
afterEach(async () => {
  upload.clear();
  await extension.inWorker(`chrome.permissions.remove({ origins: ["${PATTERN}"] })`);
});

/** Starts a video in the popup. */
const begin = async () => await send(await extension.open("popup.html"), "video.mp4", content(SIZE));
const needsHost = "Allow the browser to send to localhost";

test("an upload host that lets no other origin in is asked for as soon as that shows, and the click goes on", async () => {
  upload.choose = () => ({ kind: "alter", change: (head) => head.replace(/^access-control-.*\r\n/gim, "") });
  const row = await begin();
  await row.getByText(needsHost).waitFor();
  await allowByClick(extension, row, PATTERN);
  await uploaded(row);
  await expectWhole(service, SIZE);
});

inAll("an upload host that is only down for a while is waited for, not asked for", async () => {
  upload.choose = () => ({ kind: "drop-answer" });
  const row = await begin();
  await row.getByText("Connection lost.").waitFor();
  upload.clear();
  await uploaded(row);
  await expectWhole(service, SIZE);
});

inAll("an upload host is asked for before it gets the token, also after a pause", async () => {
  const authorize = (on: boolean) =>
    changeOptions(extension, (options) =>
      options.getByLabel("Send the token to the upload host too").setChecked(on),
    );
  await authorize(true);
  await service.set({ uploadAuthorization: "required", latency: 600_000 });
  const row = await begin();
  await row.getByText("Asking the service").waitFor();
  await row.getByRole("button", { name: "Pause" }).click();
  await row.getByText("Paused").waitFor();
  const kept = () => extension.inWorker("chrome.storage.session.get(null).then(JSON.stringify)");
  await service.set({ latency: 0 });
  await expect.poll(kept).toContain('"answered"');
  await row.getByRole("button", { name: "Continue" }).click();
  await row.getByText(needsHost).waitFor();
  const toUploadHost = async () => (await service.requests()).filter(({ host }) => host === "upload");
  expect(await toUploadHost()).toEqual([]);
  await allowByClick(extension, row, PATTERN);
  await uploaded(row);
  await expectWhole(service, SIZE);
  const sent = (await toUploadHost()).filter(({ method }) => method !== "OPTIONS");
  expect(sent.every(({ hasAuthorization }) => hasAuthorization)).toBe(true);
  await authorize(false);
});

inAll("the badge counts the percent of an upload, and marks what needs the person", async () => {
  const badge = () => extension.inWorker<string>("chrome.action.getBadgeText({})");
  await service.set({ answerStatus: [{ host: "api", method: "POST", status: 500, times: 1 }] });
  await begin();
  await expect.poll(badge).toBe("1");
  await service.set({ throttle: MiB / 2 });
  const popup = await extension.open("popup.html");
  const row = await send(popup, "running.mp4", content(SIZE));
  await expect.poll(badge).toMatch(/^\d+%$/);
  await service.set({ throttle: 0 });
  await uploaded(row);
  await expect.poll(badge).toBe("1");
});

inAll("the computer is kept awake while an upload runs where that is set, and no longer", async () => {
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
  const last = async () => (await told()).at(-1);
  await service.set({ throttle: MiB / 2 });
  const row = await begin();
  await waitUntilSent(service, MiB);
  expect(await last()).toBe("requestKeepAwake system");
  await row.getByRole("button", { name: "Pause" }).click();
  await expect.poll(last).toBe("releaseKeepAwake");
  await service.set({ throttle: 0 });
  await row.getByRole("button", { name: "Continue" }).click();
  await uploaded(row);
  await expect.poll(last).toBe("releaseKeepAwake");
  expect((await told()).filter((each) => each.startsWith("request")).length).toBeGreaterThan(1);
});
