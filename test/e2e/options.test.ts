import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { content, sha256 } from "../content.ts";
import { MARKER } from "../marker.ts";
import { spawnService } from "../service/spawned.ts";
import { useService } from "../service/use-service.ts";
import { changeOptions, choose, openOptions, rowOf } from "./actions.ts";
import type { Extension } from "./extension.ts";
import { readStored } from "./stored-jobs.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
const service = useService({ refuseOrigin: true });
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();
const told = (page: Page, text: string) => page.getByRole("status").filter({ hasText: text }).waitFor();
/** What is wrong, as it stands beside the field of this name. */
const problemOf = (page: Page, label: string) =>
  page.getByLabel(label, { exact: true }).evaluate((field) => {
    const [first] = (field.getAttribute("aria-describedby") ?? "").split(" ");
    const line = document.getElementById(first ?? "");
    return line?.className === "problem" && field.ariaInvalid === "true" ? line.textContent : null;
  });
const storedIn = (extension: Pick<Extension, "inWorker">) =>
  extension.inWorker<Record<string, unknown>>("chrome.storage.local.get(null)");

describe("at the first run", () => {
  // The browser's own prompt is out of a test's reach: what was allowed once is given at a click without it.
  const allowedOnce: chrome.permissions.Permissions = {
    origins: ["http://127.0.0.1/*"],
    permissions: ["notifications", "power"],
  };
  const extension = useExtension(undefined, { allowed: allowedOnce, cleanUp: "nothing" });

  const allowed = () =>
    extension.inWorker<{ origins: string[]; permissions: string[] }>("chrome.permissions.getAll()");

  test("the options open by themselves, and the popup leads to them", async () => {
    const options = extension.context.pages().filter((page) => page.url().endsWith("/options.html"));
    expect(options).toHaveLength(1);
    const popup = await extension.open("popup.html");
    await popup.locator("#first-run").getByRole("button").click();
    await expect.poll(() => options[0]?.evaluate(() => document.visibilityState)).toBe("visible");
    await popup.close();
  });

  test("each mistake is shown at its field, and nothing is saved or asked for", async () => {
    const page = await openOptions(extension);
    await page.getByLabel("Address of the service").fill("ftp://video.example");
    await page.getByLabel("Token", { exact: true }).fill("two words");
    await page.getByLabel("Webhook context").fill("{not json");
    await page.getByRole("button", { name: "Add a profile" }).click();
    await page.getByLabel("Width").fill("wide");
    await page.getByLabel("Further fields as JSON").fill('{"name": ');
    await save(page);
    await told(page, "Not saved. Fix 5 fields.");
    for (const label of [
      "Address of the service",
      "Token",
      "Webhook context",
      "Width",
      "Further fields as JSON",
    ])
      expect(await problemOf(page, label), label).toMatch(/\w.*\.$/);
    expect(await page.locator(":focus").getAttribute("id")).toBe("address");
    expect(await storedIn(extension)).toEqual({});
    expect((await allowed()).origins).toEqual([]);

    // Corrected one after the other, the last one still keeps all from being saved.
    await page.getByLabel("Address of the service").fill(service.baseUrl);
    await page.getByLabel("Token", { exact: true }).fill(`Bearer ${service.token}\n`);
    await page.getByLabel("Webhook context").fill("");
    await page.getByLabel("Width").fill("1280");
    await save(page);
    await told(page, "Not saved. Fix 1 field.");
    expect(await storedIn(extension)).toEqual({});
    await page.getByLabel("Further fields as JSON").fill("");
    await save(page);
    await told(page, "Saved");
    expect(await storedIn(extension)).toMatchObject({
      settings: { address: service.baseUrl, fields: { profiles: [{ width: 1280 }] } },
      token: service.token,
    });
    await page.close();
  });

  test("the click that saved has asked for the address's host, and later ones for what a switch needs", async () => {
    await expect.poll(async () => (await allowed()).origins).toEqual(["http://127.0.0.1/*"]);
    expect((await allowed()).permissions).not.toContain("notifications");
    await changeOptions(extension, async (options) => {
      await options.getByLabel("Notify me").check();
      await options.getByLabel("Keep the computer awake while uploading").check();
    });
    await expect
      .poll(async () => (await allowed()).permissions)
      .toEqual(expect.arrayContaining(["notifications", "power"]));
  });

  test("with what was turned on, the end of the last upload is notified", async () => {
    const popup = await extension.open("popup.html");
    await choose(popup, { name: "told.mp4", bytes: content(MiB) });
    await rowOf(popup, "told.mp4").getByRole("button", { name: "Start" }).click();
    await rowOf(popup, "told.mp4").getByText("Uploaded").waitFor();
    await expect
      .poll(() => extension.inWorker("chrome.notifications.getAll()"))
      .toEqual({ "upcut-upload": true });
    await popup.close();
  });

  test("the end of the last upload is not called the end of all where another one failed", async () => {
    await extension.inWorker(`void (() => {
      globalThis.titles = [];
      const { create } = chrome.notifications;
      chrome.notifications.create = (id, options) => (titles.push(options.title), create(id, options));
    })()`);
    const popup = await extension.open("popup.html");
    await choose(
      popup,
      { name: "refused.mp4", bytes: content(MiB) },
      { name: "last.mp4", bytes: content(MiB) },
    );
    await service.set({ answerStatus: [{ host: "api", method: "POST", status: 403, times: 1 }] });
    await rowOf(popup, "refused.mp4").getByRole("button", { name: "Start" }).click();
    const titles = () => extension.inWorker("titles");
    // Ends within a moment are told together.
    await expect.poll(titles).toEqual(["refused.mp4 needs attention"]);
    await rowOf(popup, "last.mp4").getByRole("button", { name: "Start" }).click();
    await expect.poll(titles).toEqual(["refused.mp4 needs attention", "last.mp4 is uploaded"]);
    await popup.close();
  });
});

describe("saving checks the account", () => {
  const extension = useExtension(undefined, {
    allowed: { origins: ["http://127.0.0.1/*"] },
    cleanUp: "pages",
  });
  const deletes = () => service.requests("DELETE");
  const fillIn = async (baseUrl: string, token: string) => {
    const page = await extension.open("options.html");
    await page.getByLabel("Address of the service").fill(baseUrl);
    await page.getByLabel("Token", { exact: true }).fill(token);
    await save(page);
    return page;
  };
  const forget = async () => {
    await extension.inWorker("chrome.storage.local.clear()");
  };

  test("a wrong token is told and kept; the right one connects; no stream is ended by that", async () => {
    const page = await fillIn(service.baseUrl, `${MARKER}-unknown-token`);
    await told(page, "Not connected yet");
    await page.getByText("The service doesn't accept the token.").waitFor();
    // The service's sentence repeats the token.
    await page.getByText("no token [removed] found").waitFor();
    expect(await page.content()).not.toContain(MARKER);
    expect(await storedIn(extension)).toMatchObject({ settings: { address: service.baseUrl } });
    await page.getByRole("button", { name: "Enter another token" }).click();
    await page.getByLabel("Token", { exact: true }).fill(service.token);
    await save(page);
    await told(page, "Connected");
    expect(await deletes()).toMatchObject([
      { path: expect.stringMatching(/^\/stream\/upcut-check-[\w-]+\/terminate$/), status: 401, origin: null },
      { path: expect.stringMatching(/^\/stream\/upcut-check-[\w-]+\/terminate$/), status: 404, origin: null },
    ]);
    expect((await service.streams()).filter(({ live }) => live)).not.toEqual([]);
    await page.getByRole("heading", { name: "Pin the icon" }).waitFor();
    await forget();
  });

  test("a service that mounts the call under its prefix is found there", async () => {
    await service.set({ streamPrefix: "/api" });
    const page = await fillIn(service.baseUrl, service.token);
    await page.getByText("answers at another path: /api/stream/{id}/terminate").waitFor();
    await page.getByRole("button", { name: "Use this path" }).click();
    await told(page, "Connected");
    expect(await storedIn(extension)).toMatchObject({
      settings: { paths: { terminate: "/api/stream/{id}/terminate" } },
    });
    await forget();
  });

  test("nothing that answers is told, and checked again by a click", async () => {
    await service.set({ answerStatus: [{ host: "api", method: "DELETE", status: 503, times: 1 }] });
    const page = await fillIn(service.baseUrl, service.token);
    await told(page, "Not everything could be checked");
    await page.getByRole("button", { name: "Check again" }).click();
    await told(page, "Connected");
    await forget();
    const away = await fillIn("http://127.0.0.1:9", service.token);
    await told(away, "Not connected yet");
    await away.getByText("No answer from 127.0.0.1:9.").waitFor();
    await forget();
  });

  test("a video dropped right after that is in the list, which opens", async () => {
    const page = await fillIn(service.baseUrl, service.token);
    await told(page, "Connected");
    const [list] = await Promise.all([
      extension.context.waitForEvent("page"),
      page.setInputFiles("#files", {
        name: "first.mp4",
        mimeType: "video/mp4",
        buffer: Buffer.from(content(MiB)),
      }),
    ]);
    await rowOf(list, "first.mp4").waitFor();
    await forget();
  });
});

describe("what was saved", () => {
  const extension = useExtension(service);

  const received = async (popup: Page, name: string) => {
    await choose(popup, { name, bytes: content(MiB) });
    await rowOf(popup, name).getByRole("button", { name: "Start" }).click();
    await rowOf(popup, name).getByText("Uploaded").waitFor();
    return (await service.assets()).find(({ asset }) => asset.name === name)?.received;
  };

  test("reaches the service in the next draft's request, and nothing that was left alone", async () => {
    // Open all the while: nothing has to be loaded again.
    const popup = await extension.open("popup.html");
    expect(await received(popup, "plain.mp4")).toEqual({ name: "plain.mp4" });
    await changeOptions(extension, async (options) => {
      await options.getByLabel("Make MP4 files").check();
      await options.getByLabel("Type", { exact: true }).fill("webhook");
      await options.getByLabel("Webhook id").fill("wh-1");
      await options.getByLabel("Webhook context").fill('{"plan": {"name": "members"}}');
      await options.getByLabel("Refresh interval").fill("600");
      await options.getByLabel("Allowed origins").fill("https://a.example\nhttps://b.example");
      for (const name of ["720p", "360p"]) {
        await options.getByRole("button", { name: "Add a profile" }).click();
        await options.getByLabel("Name").last().fill(name);
      }
      const first = options.getByRole("group", { name: "Profile 1" });
      const fields = {
        Width: "1280",
        Height: "720",
        Bitrate: "3000000",
        Quality: "23",
        "Frame rate": "30",
        "Rate divided by": "1",
        Encoder: "H.264",
        GOP: "2",
        "Codec profile": "H264Main",
      };
      for (const [label, text] of Object.entries(fields)) await first.getByLabel(label).fill(text);
      await options.getByLabel("Further fields as JSON").fill('{"signed": true, "seconds": 4}');
    });
    expect(await received(popup, "full.mp4")).toEqual({
      name: "full.mp4",
      staticMp4: true,
      playbackPolicy: {
        type: "webhook",
        webhookId: "wh-1",
        webhookContext: { plan: { name: "members" } },
        refreshInterval: 600,
        allowedOrigins: ["https://a.example", "https://b.example"],
      },
      profiles: [
        {
          name: "720p",
          width: 1280,
          height: 720,
          bitrate: 3_000_000,
          quality: 23,
          fps: 30,
          fpsDen: 1,
          encoder: "H.264",
          gop: "2",
          profile: "H264Main",
        },
        { name: "360p" },
      ],
      signed: true,
      seconds: 4,
    });
    // Taken away again, it is no longer sent.
    await changeOptions(extension, async (options) => {
      await options.getByLabel("Make MP4 files").uncheck();
      for (const label of ["Webhook id", "Webhook context", "Refresh interval", "Allowed origins"])
        await options.getByLabel(label).fill("");
      await options.getByRole("button", { name: "Remove profile 1" }).click();
      await options.getByLabel("Further fields as JSON").fill("");
    });
    expect(await received(popup, "less.mp4")).toEqual({
      name: "less.mp4",
      playbackPolicy: { type: "webhook" },
      profiles: [{ name: "360p" }],
    });
    await changeOptions(extension, async (options) => {
      await options.getByLabel("Type", { exact: true }).fill("");
      await options.getByRole("button", { name: "Remove profile 1" }).click();
    });
  });

  test("in another tab meanwhile counts here too: no service is sent the token of another", async () => {
    const here = await openOptions(extension);
    await here.getByRole("button", { name: "Replace" }).waitFor();
    await here.getByLabel("Playback page").fill("https://video.example/{assetId}");
    const elsewhere = "http://127.0.0.1:9";
    await changeOptions(extension, async (options) => {
      await options.getByLabel("Address of the service").fill(elsewhere);
      await options.getByRole("button", { name: "Replace" }).click();
      await options.getByLabel("Token", { exact: true }).fill("tok-of-another");
    });
    // What this tab shows is still the first service.
    await save(here);
    await told(here, "Not saved. Fix 1 field.");
    expect(await problemOf(here, "Token")).toContain("another service");
    expect(await storedIn(extension)).toMatchObject({
      settings: { address: elsewhere },
      token: "tok-of-another",
    });
    await here.getByLabel("Token", { exact: true }).fill(service.token);
    await save(here);
    await told(here, "Saved");
    const settings = { address: service.baseUrl, playbackPage: "https://video.example/{assetId}" };
    expect(await storedIn(extension)).toMatchObject({ settings, token: service.token });
    await changeOptions(extension, (options) => options.getByLabel("Playback page").fill(""));
  });

  test("leaves a running upload alone when address and token change, and is for the next one", async () => {
    const other = await spawnService({ refuseOrigin: true });
    try {
      await service.set({
        throttle: MiB / 2,
        // The running one must ask its own service again, too.
        resetAfter: [{ host: "upload", method: "PATCH", bytes: 9_000_000, times: 1 }],
      });
      const popup = await extension.open("popup.html");
      await choose(popup, { name: "running.mp4", bytes: content(12 * MiB) });
      await rowOf(popup, "running.mp4").getByRole("button", { name: "Start" }).click();
      await expect.poll(async () => (await service.uploads())[0]?.arrived ?? 0).toBeGreaterThan(MiB);
      await changeOptions(extension, async (options) => {
        await options.getByLabel("Address of the service").fill(other.baseUrl);
        await options.getByRole("button", { name: "Replace" }).click();
        await options.getByLabel("Token", { exact: true }).fill(other.otherToken);
      });
      await choose(popup, { name: "next.mp4", bytes: content(2 * MiB, 2) });
      await rowOf(popup, "next.mp4").getByRole("button", { name: "Start" }).click();
      await rowOf(popup, "next.mp4").getByText("Uploaded").waitFor();
      expect(await rowOf(popup, "running.mp4").getByText("Uploaded").count()).toBe(0);
      await service.set({ throttle: 0 });
      await rowOf(popup, "running.mp4").getByText("Uploaded").waitFor();

      for (const [at, name, bytes, account] of [
        [service, "running.mp4", content(12 * MiB), "demo"],
        [other, "next.mp4", content(2 * MiB, 2), "other"],
      ] as const) {
        const assets = await at.assets();
        expect(assets).toMatchObject([{ asset: { name }, account }]);
        expect((await at.whole(assets[0]?.asset.id ?? "")).sha256).toBe(sha256(bytes));
        expect(await at.requests("POST", "request-upload")).toHaveLength(1);
      }
    } finally {
      await other.stop();
    }
  });
});

describe("“Forget this account…”", () => {
  const extension = useExtension(service, { cleanUp: "pages" });

  test("stops uploads, and leaves no token, list, host or rule behind", async () => {
    await service.set({ throttle: MiB });
    const popup = await extension.open("popup.html");
    await choose(popup, { name: "running.mp4", bytes: content(24 * MiB) });
    await rowOf(popup, "running.mp4").getByRole("button", { name: "Start" }).click();
    await expect.poll(async () => (await service.uploads())[0]?.arrived ?? 0).toBeGreaterThan(MiB);
    const page = await extension.open("options.html");
    await page.getByRole("button", { name: "Forget this account…" }).click();
    await page.getByText("1 upload isn't finished.").waitFor();
    await page.getByRole("button", { name: "Forget", exact: true }).click();
    await told(page, "The account is forgotten");
    expect(Object.keys(await storedIn(extension))).toEqual(["settings"]);
    expect(await readStored(page)).toEqual([]);
    const left = await extension.inWorker<{ origins: string[]; session: string }>(`(async () => ({
      origins: (await chrome.permissions.getAll()).origins,
      session: JSON.stringify(await chrome.storage.session.get(null)),
    }))()`);
    expect(left.origins).toEqual([]);
    expect(left.session).not.toContain(MARKER);
    // What was on its way arrives, and no more.
    let arrived = 0;
    const hasStopped = async () => {
      const before = arrived;
      arrived = (await service.uploads())[0]?.arrived ?? 0;
      return arrived === before;
    };
    await expect.poll(hasStopped, { interval: 1000 }).toBe(true);
    expect(arrived).toBeLessThan(24 * MiB);
    await expect.poll(() => rowOf(popup, "running.mp4").count()).toBe(0);
    // The next upload is not begun: the popup leads to the options.
    await popup.reload();
    await popup.locator("#first-run").waitFor();
  });
});
