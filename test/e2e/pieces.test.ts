/** Videos that play in pieces: what becomes of an interrupted one, and of hosts that refuse strangers their pieces. */
import type { Page } from "playwright-core";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { openHls } from "../../core/hls/mod.ts";
import type { AddressedVideo } from "../../entrypoints/shared/messages.ts";
import { useService } from "../service/use-service.ts";
import { hashOf } from "../support/hls/hls-original.ts";
import {
  type HlsServer,
  mediaPlaylist,
  pieceLines,
  serveSamples,
  startHlsServer,
} from "../support/hls/hls-server.ts";
import { type LongVideo, serveLong } from "../support/hls/long-hls.ts";
import { useHls } from "../support/hls/use-hls.ts";
import { inAll, table } from "../support/in-all.ts";
import { MARKER } from "../support/marker.ts";
import { useOpened } from "../support/use-opened.ts";
import { allowByClick, handAddresses, rowOf, start, uploaded } from "./actions.ts";
import { expectHash, expectSample, waitUntilSent } from "./evidence.ts";
import { openRealPopup } from "./raw-target.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
const LONG: LongVideo = { pieces: 24, size: 1.5 * MiB };
const service = useService({ refuseOrigin: true });
const hls = useHls();
const extension = useExtension(service);

/** Hands a video over as the popup does. */
async function hand(popup: Page, address: string, more: Partial<AddressedVideo> = {}): Promise<void> {
  await handAddresses(popup, {
    ...{ title: "A video", pieces: "hls", page: `${hls.origin}/watch` },
    ...{ address: new URL(address, hls.origin).href, ...more },
  });
}

/** Whether the one asset holds what core makes of a video. */
const expectSame = async (path: string) =>
  expectHash(service, await hashOf(await openHls(new URL(path, hls.origin))));

/** What was fetched after a break: what tells which video it is, and each piece from where the service's bytes end. */
function expectRest(sent: number): void {
  const asked = hls.requests.flatMap((path) => /\/(\d+)\.m4s/.exec(path)?.[1] ?? []).map(Number);
  const rest = asked.filter((number) => number > 0);
  expect(new Set(rest).size).toBe(rest.length);
  // Pieces are held by parts of 8 MiB: reading goes on at most one part before what the service has.
  expect(rest[0]).toBeGreaterThanOrEqual(Math.floor((sent - 8 * MiB) / (LONG.size + 600)) - 1);
  expect(asked.length - rest.length).toBeLessThanOrEqual(1);
}

inAll("an upload whose address has expired goes on when its page gives it again elsewhere", async () => {
  serveLong(hls, { ...LONG, signature: `${MARKER}-one` });
  await service.set({ throttle: 3 * MiB });
  const popup = await extension.open("popup.html?tab=1");
  await hand(popup, `/long/index.m3u8?signature=${MARKER}-one`, { size: 40 * MiB });
  const row = await start(popup, "A video");
  await row.getByTitle(/^[\d.]+\sMB fetched · [\d.]+\sof\sabout\s[\d.]+\sMB/).waitFor();
  await waitUntilSent(service, 15 * MiB);
  hls.files.clear();
  await row.getByText("The link to the video has expired").waitFor();
  await row.getByText(/MB uploaded. It resumes from there/).waitFor({ state: "attached" });
  await row.getByRole("button", { name: "Open its page" }).waitFor();
  const sent = (await service.uploads())[0]?.offset ?? 0;
  await service.set({ throttle: 0 });
  // Another video of the same page is another one.
  serveLong(hls, { ...LONG, seed: 2, folder: "/other" });
  await hand(popup, "/other/index.m3u8", { title: "Another one" });
  await rowOf(popup, "Another one").getByRole("button", { name: "Remove" }).click();
  await expect.poll(() => popup.getByRole("listitem").count()).toBe(1);
  const again = `/two/index.m3u8?signature=${MARKER}-two`;
  serveLong(hls, { ...LONG, signature: `${MARKER}-two`, folder: "/two" });
  hls.requests.length = 0;
  await hand(popup, again);
  await uploaded(row);
  // The first piece tells twice which video it is: when it is added, and when it goes on.
  hls.requests.splice(0, hls.requests.indexOf("/two/0.m4s") + 1);
  expectRest(sent);
  await expectSame(again);
  expect(await popup.getByRole("listitem").count()).toBe(1);
});

test("what can't be taken is refused: a live stream, a quality or a language that is no longer there", async () => {
  const popup = await extension.open("popup.html?tab=1");
  hls.files.set("/live.m3u8", mediaPlaylist(pieceLines(["/ts/0.ts"]), { ended: false }));
  await hand(popup, "/live.m3u8", { title: "Live" });
  const live = await start(popup, "Live");
  await live.getByText("This is a live stream that hasn't ended.").waitFor();
  // It may have ended since; its removal has no words.
  expect(await live.getByRole("button").allInnerTexts()).toEqual(["", "Try again"]);
  for (const [title, chosen] of [
    ["Sharper", { quality: "1080p-5000000" }],
    ["French", { language: "fr" }],
  ] as const) {
    await hand(popup, "/separate/main.m3u8", { title, ...chosen });
    const row = await start(popup, title);
    await row.getByText("Open its page again and add the video from there").waitFor({ state: "attached" });
    await row.getByRole("button", { name: "Open its page" }).waitFor();
  }
  expect(await service.assets()).toEqual([]);
});

describe("pieces at a host that refuses strangers", () => {
  const PATTERN = "http://localhost/*";
  const cdn = useOpened(startHlsServer);
  let host: string;
  beforeAll(async () => {
    // Another site than that of the manifest, for cookies too.
    host = cdn.origin.replace("127.0.0.1", "localhost");
    serveSamples(cdn);
    await extension.context.addCookies([{ name: "member", value: "yes", url: host }]);
  });
  afterEach(async () => {
    Object.assign(cdn, { requests: [], headers: [], isPublic: true, accepts: undefined });
    await extension.inWorker(`chrome.permissions.remove({ origins: ["${PATTERN}"] })`);
  });
  type Headers = HlsServer["headers"][number];
  const isMember = ({ cookie }: Headers) => cookie === "member=yes";
  const ruleCount = () =>
    extension.inWorker<number>("chrome.declarativeNetRequest.getSessionRules().then((all) => all.length)");
  const asksForHost = (popup: Page) =>
    popup.getByText(`Allow the browser to read from ${new URL(host).host}`);

  test.each(
    table<[string, string, boolean]>([
      ["doesn't let scripts of others read", "page's", false],
      ["answers 403", "frame's", true],
    ]),
  )("and %s: the row asks for it, and they are read with cookies and the %s referrer", async (...row) => {
    const [, whose, isPublic] = row;
    const player = `${hls.origin}/watch?v=${MARKER}`;
    const isFrame = whose === "frame's";
    const from = isFrame ? { page: "https://news.example/today", referrer: player } : { page: player };
    const accepts = (headers: Headers) => isMember(headers) && headers.referer === `${hls.origin}/`;
    Object.assign(cdn, { isPublic, accepts });
    const pieces = [0, 1, 2].map((each) => `${host}/ts/${each}.ts`);
    hls.files.set("/index.m3u8", mediaPlaylist(pieceLines(pieces)));
    const popup = await extension.open("popup.html?tab=1");
    await hand(popup, "/index.m3u8", from);
    const video = await start(popup, "A video");
    await asksForHost(popup).waitFor();
    await video.getByText("Or open its page").waitFor({ state: "attached" });
    expect(await service.assets()).toEqual([]);
    expect(JSON.stringify(cdn.headers)).not.toContain("member");
    await allowByClick(extension, video, PATTERN);
    await uploaded(video);
    await expectSample(service);
    // The rule ends with the upload.
    await expect.poll(ruleCount).toBe(1);
    await popup.evaluate((address) => fetch(address), `${host}/ts/0.ts`);
    expect(cdn.headers.at(-1)?.referer).toBe(undefined);
  });

  inAll("nor lets them be compared with their player: the row asks about their length", async () => {
    cdn.isPublic = false;
    const popup = await extension.open("popup.html?tab=1");
    await hand(popup, `${host}/aes/index.m3u8`, { playedSeconds: 600 });
    const row = await start(popup, "A video");
    await allowByClick(extension, row, PATTERN);
    await row.getByText("The video that was found is 0:06 long, the one on the page 10:00.").waitFor();
    expect(await service.assets()).toEqual([]);
    await uploaded(await start(popup, "A video"));
  });

  inAll("of the page Upcut was opened on are read with its cookies, or ask for its host", async () => {
    Object.assign(cdn, { isPublic: false, accepts: isMember });
    cdn.files.set("/watch", "<title>A page</title>");
    cdn.habits.set("/watch", { headers: { "content-type": "text/html" } });
    const page = await extension.context.newPage();
    await page.goto(`${host}/watch`);
    await (await openRealPopup(extension, page.url())).detach();
    const popup = await extension.open("popup.html?tab=1");
    await hand(popup, `${host}/aes/index.m3u8`, { page: page.url() });
    await uploaded(await start(popup, "A video"));
    await expectSample(service);
    await popup.getByRole("button", { name: "Clear finished" }).click();
    cdn.accepts = (headers) => isMember(headers) && headers.referer === page.url();
    await hand(popup, `${host}/ts/index.m3u8`, { page: page.url(), title: "Another" });
    const row = await start(popup, "Another");
    await asksForHost(popup).waitFor();
    await allowByClick(extension, row, PATTERN);
    await uploaded(row);
  });
});
