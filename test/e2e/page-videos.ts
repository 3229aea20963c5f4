/** Videos of real pages: what the popup lists of them, and what arrives of it. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { expectOriginal } from "../hls-original.ts";
import { openSite, type Site, type Video } from "../pages/site.ts";
import type { SpawnedService } from "../service/spawned.ts";
import { useService } from "../service/use-service.ts";
import type { Extension } from "./extension.ts";
import { type ListedVideo, openPopupAbove, type RealPopup } from "./listed.ts";
import { useExtension } from "./use-extension.ts";

const PAGES = "http://pages.localhost/*";
const MEDIA = "http://media.localhost/*";

export type PageName = Parameters<Site["page"]>[0];
/** Files as they are, or one that is made of pieces, which is compared with this. */
export type Arrival = Video[] | ((bytes: Uint8Array) => Promise<void>);
export type VideoRow = [title: string, page: PageName, listed: ListedVideo[], arrives?: Arrival];

export const launch: ListedVideo = {
  title: "Launch day",
  kind: "MP4",
  facts: "0:10 · 640 × 360 · 158 kB",
  ticked: true,
  picture: "thumbnail",
};
export const dive: ListedVideo = {
  ...launch,
  title: "Into the deep",
  kind: "WEBM",
  facts: "0:06 · 480 × 270 · 419 kB",
};
export const tiny: ListedVideo = { ...launch, facts: "0:03 · 320 × 180 · 4.2 kB" };
export const pieces: ListedVideo = { ...launch, kind: "Stream", facts: "0:06 · 160 × 90" };
export const inOneFile = (bytes: Uint8Array) => expectOriginal(bytes);

export interface PageVideos {
  service: SpawnedService;
  extension: Extension;
  site: Site;
  page: Page;
  popup: RealPopup;
  /** Opens a page, waits until its videos are what they are meant to be, and opens the popup above it. */
  lookAt(name: PageName): Promise<RealPopup>;
  /** Opens the popup above the page again. */
  openPopup(above?: Page, address?: string): Promise<RealPopup>;
  closePopup(): Promise<void>;
  expectListed(...listed: ListedVideo[]): Promise<void>;
  expectArrived(arrival: Arrival): Promise<void>;
  /** Looks at a page, and uploads all that it has, once that is as it should be. */
  walk(row: VideoRow): Promise<void>;
  mayReadMedia(): Promise<boolean>;
}

/** Starts service, browser and site for the tests of a file. */
export function usePageVideos(): PageVideos {
  const service = useService();
  const extension = useExtension(service);
  const all = { service, extension } as PageVideos;
  let opened: RealPopup | undefined;
  beforeAll(async () => {
    const site = await openSite();
    Object.assign(all, { site, page: extension.context.pages()[0] });
  });
  afterEach(async () => {
    await all.closePopup();
    await extension.inWorker(
      `chrome.permissions.remove({ origins: ${JSON.stringify([PAGES, MEDIA])}, permissions: ["webRequest"] })`,
    );
  });
  afterAll(() => all.site?.close());

  return Object.assign(all, {
    async lookAt(name: PageName) {
      await all.page.goto(all.site.page(name));
      await all.page.waitForFunction(isSettled);
      all.site.takeRequests();
      return await all.openPopup();
    },
    async openPopup(above = all.page, address?: string) {
      await all.closePopup();
      opened = await openPopupAbove(extension, above, address);
      all.popup = opened;
      return opened;
    },
    async closePopup() {
      await opened?.close();
      opened = undefined;
    },
    async expectListed(...listed: ListedVideo[]) {
      const media = new URL(all.site.mediaOrigin).host;
      const expected = listed.map((each) => ({ ...each, ...(each.host && { host: media }) }));
      // Pictures have a time together: a busy machine may need all of it for the first.
      const withPictures = async () =>
        (await all.popup.listed()).map((each, at) => ({
          ...each,
          picture: each.picture ?? (at > 0 ? expected[at]?.picture : undefined),
        }));
      await expect.poll(withPictures).toEqual(expected);
      if (listed.length > 0)
        expect(await all.popup.state()).toMatch(new RegExp(`^${listed.length} videos? on this page$`));
    },
    async expectArrived(arrival: Arrival) {
      const isFile = Array.isArray(arrival);
      const count = async () => {
        // Where it was clicked before the manifest was read, the list asks for the hosts of the pieces.
        if (!isFile) await all.popup.evaluate(ALLOW_HOST);
        return (await service.assets()).length;
      };
      await expect.poll(count).toBe(isFile ? arrival.length : 1);
      const assets = await service.assets();
      const whole = await Promise.all(assets.map(({ asset }) => service.whole(asset.id)));
      if (isFile) {
        const hashes = whole.map(({ sha256 }) => sha256).sort();
        expect(hashes).toEqual(arrival.map((video) => all.site.sha256[video]).sort());
      } else {
        const answer = await fetch(String(assets[0]?.asset.downloadUrl));
        await arrival(new Uint8Array(await answer.arrayBuffer()));
      }
    },
    async walk([, name, listed, arrival]: VideoRow) {
      const { uploadAll } = await all.lookAt(name);
      await all.expectListed(...listed);
      if (arrival === undefined) return;
      await uploadAll();
      await all.expectArrived(arrival);
    },
    mayReadMedia: () =>
      extension.inWorker<boolean>(`chrome.permissions.contains({ origins: [${JSON.stringify(MEDIA)}] })`),
  });
}

const ALLOW_HOST = `[...document.querySelectorAll("#list button")]
  .find(({ textContent }) => textContent.trim() === "Allow this host")?.click()`;

/** Runs in the page. */
export function isSettled(): boolean {
  const frames = [...document.querySelectorAll("iframe")].flatMap((each) => each.contentDocument ?? []);
  return [document, ...frames].every((inside) => {
    const waits = [...inside.scripts].some(({ text }) => text.includes("dataset.ready"));
    const videos = [...inside.querySelectorAll("video")];
    return (
      (!waits || inside.documentElement.dataset.ready === "yes") &&
      videos.every(
        ({ readyState, networkState, error, preload }) =>
          readyState >= 2 || error !== null || preload === "none" || [0, 3].includes(networkState),
      )
    );
  });
}
