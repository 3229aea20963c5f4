import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { AddressedVideo } from "../../entrypoints/shared/messages.ts";
import { content, sha256 } from "../content.ts";
import { type FilmServer, serveFilm } from "../film-server.ts";
import { type SpawnedService, spawnService } from "../service/spawned.ts";
import { type Extension, loadExtension } from "./extension.ts";
import { changeOptions, clearList, rowOf, setUp } from "./person.ts";
import { openRealPopup } from "./raw-target.ts";

const MiB = 1024 * 1024;
const SIZE = 20 * MiB;
const PAGES = { "/": "<title>A page</title><video src=videos/film.mp4></video>" };
let service: SpawnedService;

/** Hands a video over as the popup does. */
async function hand(popup: Page, ...videos: AddressedVideo[]): Promise<void> {
  await popup.locator("#choose-videos:enabled").waitFor();
  await popup.evaluate((videos) => {
    new BroadcastChannel("upcut-to-offscreen").postMessage({ type: "addresses", batch: "test", videos });
  }, videos);
}

async function expectWhole(size = SIZE): Promise<void> {
  const assets = await service.assets();
  expect(assets).toHaveLength(1);
  expect((await service.whole(assets[0]?.asset.id ?? "")).sha256).toBe(sha256(content(size)));
}

beforeAll(async () => {
  service = await spawnService({ refuseOrigin: true });
});
afterEach(() => service.reset());
afterAll(() => service.stop());

describe("a video at an address", () => {
  let extension: Extension;
  let film: FilmServer;
  beforeAll(async () => {
    extension = await loadExtension();
    await setUp(extension, service);
    film = await serveFilm(SIZE, {}, PAGES, "localhost");
  });
  afterEach(async () => {
    film.habits = {};
    await clearList(extension);
  });
  afterAll(async () => {
    await extension.close();
    await film.close();
  });

  test("is read with the page's cookies under the click on the toolbar alone, and goes up whole", async () => {
    film.habits = { cookie: "member=yes" };
    const page = await extension.context.newPage();
    await page.goto(film.origin);
    await (await openRealPopup(extension, page.url())).detach();
    const popup = await extension.open("popup.html?tab=1");
    await hand(popup, { address: `${film.url}?signature=abc`, page: page.url(), title: "A film" });
    const row = rowOf(popup, "A film");
    await row.getByText(new URL(film.origin).host).waitFor();
    await row.getByRole("button", { name: "Start" }).click();
    await row.getByText("Uploaded").waitFor();
    await expectWhole();
  });

  test("that only its page can read comes as a Blob from a script in it, and waits as a draft", async () => {
    await changeOptions(extension, (options) => options.getByLabel("Start chosen files at once").check());
    const page = await extension.context.newPage();
    await page.goto(film.origin);
    await page.evaluate(async () => {
      const blob = await (await fetch("videos/film.mp4")).blob();
      document.body.dataset.video = URL.createObjectURL(blob);
    });
    await (await openRealPopup(extension, page.url())).detach();
    const popup = await extension.open("popup.html?tab=1");
    await popup.locator("#choose-videos:enabled").waitFor();
    await extension.inWorker(`chrome.tabs.query({ url: "${film.origin}/*" }).then(([tab]) =>
      chrome.scripting.executeScript({
        target: { tabId: tab.id },
        func: async () => {
          const blob = await (await fetch(document.body.dataset.video)).blob();
          const page = location.href;
          chrome.runtime.sendMessage({ to: "offscreen", type: "page-blob", batch: "b", blob, title: "A blob", page });
          // Neither is anything an upload could be made of.
          chrome.runtime.sendMessage({ to: "offscreen", type: "page-blob", batch: "b", blob: {}, title: "No blob", page });
          chrome.runtime.sendMessage({ to: "offscreen", type: "addresses", batch: "b", videos: [{ address: page, title: "No ask" }] });
        },
      }))`);
    const row = rowOf(popup, "A blob");
    // Whatever the settings say: a page that was taken over could send one too.
    await row.getByRole("button", { name: "Start" }).click();
    await page.close();
    await row.getByText("Uploaded").waitFor();
    await expectWhole();
    expect(await rowOf(popup, "No ").count()).toBe(0);
    await changeOptions(extension, (options) => options.getByLabel("Start chosen files at once").uncheck());
  });
});
