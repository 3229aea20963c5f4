/** Videos that play in pieces go up as one file. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openHls } from "../../core/hls/mod.ts";
import type { AddressedVideo } from "../../entrypoints/shared/messages.ts";
import { expectOriginal, hashOf } from "../hls-original.ts";
import { type HlsServer, mediaPlaylist, pieceLines, serveSamples, startHlsServer } from "../hls-server.ts";
import { type LongVideo, serveLong } from "../long-hls.ts";
import { MARKER } from "../marker.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";
import { useHls } from "../use-hls.ts";
import { rowOf, setUp } from "./actions.ts";
import { type Extension, loadExtension } from "./extension.ts";
import { openRealPopup } from "./raw-target.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
const LONG: LongVideo = { pieces: 24, size: 1.5 * MiB };
const service = useService({ refuseOrigin: true });
const hls = useHls();

/** Hands a video over as the popup does. */
async function hand(popup: Page, path: string, more: Partial<AddressedVideo> = {}): Promise<void> {
  await popup.locator("#choose-videos:enabled").waitFor();
  const pieces = path.includes(".mpd") ? ("dash" as const) : ("hls" as const);
  const video: AddressedVideo = { address: hls.origin + path, title: "A video", pieces, ...more };
  await popup.evaluate(
    (videos) => {
      new BroadcastChannel("upcut-to-offscreen").postMessage({ type: "addresses", batch: "test", videos });
    },
    [video],
  );
}

/** What the service has, once it is whole. */
async function stored(): Promise<Uint8Array> {
  const [first, ...others] = await service.assets();
  expect(others).toEqual([]);
  await service.whole(first?.asset.id ?? "");
  return new Uint8Array(await (await fetch(String(first?.asset.downloadUrl))).arrayBuffer());
}

async function waitUntilSent(bytes: number): Promise<void> {
  const arrived = async () => (await service.uploads())[0]?.arrived ?? 0;
  await expect.poll(arrived, { timeout: 60_000 }).toBeGreaterThan(bytes);
}

/** Whether the one asset holds what core makes of a video. */
async function expectSame(path: string, { origin } = hls): Promise<void> {
  const expected = await hashOf(await openHls(new URL(path, origin)));
  const assets = await service.assets();
  expect(assets).toHaveLength(1);
  expect((await service.whole(assets[0]?.asset.id ?? "")).sha256).toBe(expected);
}

const numbersOf = (requests: string[]) =>
  requests.flatMap((path) => /\/(\d+)\.m4s/.exec(path)?.[1] ?? []).map(Number);

/** A manifest of the samples' pictures and sound. */
const MANIFEST = `<?xml version="1.0"?>
  <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT6.021S">
  <Period duration="PT6.021S">${(["video", "audio"] as const)
    .map(
      (kind) => `<AdaptationSet contentType="${kind}" mimeType="${kind}/mp4">
        <Representation id="${kind}" bandwidth="48000" ${kind === "video" ? 'codecs="avc1.64000b" width="160" height="90"' : 'codecs="mp4a.40.2"'}>
        <SegmentTemplate initialization="/${kind}/init.mp4" media="/${kind}/$Number$.m4s" startNumber="0" timescale="1000">
        <SegmentTimeline><S t="0" d="2000" r="2"/>${kind === "audio" ? '<S d="22"/>' : ""}</SegmentTimeline>
        </SegmentTemplate></Representation></AdaptationSet>`,
    )
    .join("")}</Period></MPD>`;

describe("a video in pieces arrives as one file that holds the packets of the original", () => {
  const extension = useExtension(service);

  test.each([
    ["MPEG-TS", "/ts/index.m3u8"],
    ["fMP4", "/fmp4/index.m3u8"],
    ["sound of its own", "/separate/main.m3u8"],
    ["ranges of one MPEG-TS file", "/ranges/ts.m3u8"],
    ["AES-128", "/aes/index.m3u8"],
    ["DASH", "/launch/manifest.mpd"],
  ])("%s", async (_, path) => {
    hls.files.set("/launch/manifest.mpd", MANIFEST);
    const popup = await extension.open("popup.html?tab=1");
    await hand(popup, `${path}?signature=${MARKER}`);
    const row = rowOf(popup, "A video");
    await row.getByRole("button", { name: "Start" }).click();
    await row.getByText(/^Uploaded/).waitFor();
    await expectOriginal(await stored());
    // Nothing is asked for twice.
    expect(new Set(hls.requests).size).toBe(hls.requests.length);
    expect(hls.mostAtOnce).toBeLessThanOrEqual(3);
  });

  test("ranges of one MP4 file, which is taken as it is", async () => {
    const popup = await extension.open("popup.html?tab=1");
    await hand(popup, "/ranges/mp4.m3u8");
    await rowOf(popup, "A video").getByRole("button", { name: "Start" }).click();
    await rowOf(popup, "A video")
      .getByText(/^Uploaded/)
      .waitFor();
    const bytes = Buffer.from(await stored());
    expect(bytes.equals(hls.files.get("/ranges/all.mp4") as Uint8Array)).toBe(true);
  });
});

describe("an upload of a video in pieces that was interrupted", () => {
  const extension = useExtension(service);

  async function start(popup: Page, path: string, more: Partial<AddressedVideo> = {}) {
    await hand(popup, path, more);
    const row = rowOf(popup, "A video");
    await row.getByRole("button", { name: "Start" }).click();
    return row;
  }

  test("says what is fetched and sent, and goes on after a pause with the piece that it stopped at", async () => {
    serveLong(hls, LONG);
    await service.set({ throttle: 3 * MiB });
    const popup = await extension.open("popup.html?tab=1");
    const row = await start(popup, "/long/index.m3u8", { size: 40 * MiB });
    await row.getByText(/^[\d.]+ MB fetched · [\d.]+ of about [\d.]+ MB/).waitFor();
    const reached = async () => Number(await row.getByRole("progressbar").getAttribute("value"));
    await expect.poll(reached).toBeGreaterThan(0);
    await waitUntilSent(15 * MiB);
    await row.getByRole("button", { name: "Pause" }).click();
    await row.getByText(/^Paused · [\d.]+ of about [\d.]+ MB/).waitFor();
    await expect.poll(() => hls.running).toBe(0);
    const sent = (await service.uploads())[0]?.offset ?? 0;
    hls.requests.length = 0;
    await service.set({ throttle: 0 });
    await row.getByRole("button", { name: "Continue" }).click();
    await row.getByText(/^Uploaded/).waitFor();
    expectRest(sent);
    await expectSame("/long/index.m3u8");
  });

  test("waits as a server asks for it, and fetches each piece once", async () => {
    serveLong(hls, LONG);
    hls.habits.set("/long/5.m4s", { status: 503, headers: { "retry-after": "2" }, times: 1 });
    const popup = await extension.open("popup.html?tab=1");
    const row = await start(popup, "/long/index.m3u8");
    await row.getByText(/^Uploaded/).waitFor();
    const asked = numbersOf(hls.requests);
    expect(asked.filter((number) => number === 5)).toHaveLength(2);
    expect(asked).toHaveLength(LONG.pieces + 1);
    const times = hls.requests.flatMap((path, at) => (path.includes("/5.m4s") ? (hls.times[at] ?? 0) : []));
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(2000);
    await expectSame("/long/index.m3u8");
  });

  test("is reported when its address has expired, and goes on when its page gives it again elsewhere", async () => {
    serveLong(hls, { ...LONG, signature: `${MARKER}-one` });
    await service.set({ throttle: 3 * MiB });
    const popup = await extension.open("popup.html?tab=1");
    const page = `${hls.origin}/watch`;
    const row = await start(popup, `/long/index.m3u8?signature=${MARKER}-one`, { page });
    await waitUntilSent(15 * MiB);
    hls.files.clear();
    await row.getByText("The link to the video has expired").waitFor();
    await row.getByText(/MB uploaded. It resumes from there/).waitFor();
    await row.getByRole("button", { name: "Open its page" }).waitFor();
    const sent = (await service.uploads())[0]?.offset ?? 0;
    await service.set({ throttle: 0 });
    // What was read without a permission is not to be had with one.
    hls.accepts = () => false;
    await row.getByRole("button", { name: "Continue" }).click();
    await row.getByText("The link to the video has expired").waitFor();
    hls.accepts = undefined;
    // Another video of the same page is another one.
    serveLong(hls, { ...LONG, seed: 2, folder: "/other" });
    await hand(popup, "/other/index.m3u8", { page, title: "Another one" });
    await rowOf(popup, "Another one").getByRole("button", { name: "Remove" }).click();
    await expect.poll(() => popup.getByRole("listitem").count()).toBe(1);
    const again = `/two/index.m3u8?signature=${MARKER}-two`;
    serveLong(hls, { ...LONG, signature: `${MARKER}-two`, folder: "/two" });
    hls.requests.length = 0;
    await hand(popup, again, { page });
    await row.getByText(/^Uploaded/).waitFor();
    // The first piece tells twice which video it is: when it is added, and when it goes on.
    hls.requests.splice(0, hls.requests.indexOf("/two/0.m4s") + 1);
    expectRest(sent);
    await expectSame(again);
    expect(await popup.getByRole("listitem").count()).toBe(1);
  });

  test("is looked for among many videos of its page, three of them at a time", async () => {
    serveLong(hls, LONG);
    await service.set({ throttle: 3 * MiB });
    const popup = await extension.open("popup.html?tab=1");
    const page = `${hls.origin}/watch`;
    const row = await start(popup, "/long/index.m3u8", { page });
    await waitUntilSent(9 * MiB);
    await row.getByRole("button", { name: "Pause" }).click();
    await expect.poll(() => hls.running).toBe(0);
    hls.mostAtOnce = 0;
    // All of them are asked for before one of them is answered.
    for (const path of ["/ts/index.m3u8", "/long/index.m3u8"]) hls.habits.set(path, { wait: 1000 });
    const others = Array.from({ length: 8 }, (_, at) => `/ts/index.m3u8?id=${at}`);
    const videos = [...others, "/long/index.m3u8?again"].map(
      (path, at): AddressedVideo => ({
        address: hls.origin + path,
        title: `Video ${at}`,
        pieces: "hls",
        page,
      }),
    );
    await popup.evaluate((videos) => {
      const channel = new BroadcastChannel("upcut-to-offscreen");
      channel.postMessage({ type: "addresses", batch: "test", videos });
    }, videos);
    await expect.poll(() => popup.getByRole("listitem").count()).toBe(1 + others.length);
    expect(hls.mostAtOnce).toBeLessThanOrEqual(3);
    hls.habits.clear();
    await service.set({ throttle: 0 });
    await row.getByText(/^Uploaded/).waitFor();
    await expectSame("/long/index.m3u8");
  });

  test("is refused where it is live, protected or in an unknown format, without a button that can't help", async () => {
    hls.files.set("/live.m3u8", mediaPlaylist(pieceLines(["/ts/0.ts"]), { ended: false }));
    const key = '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://one",KEYFORMAT="com.apple.streamingkeydelivery"';
    hls.files.set("/protected.m3u8", mediaPlaylist([key, ...pieceLines(["/ts/0.ts"])]));
    hls.files.set("/format.m3u8", mediaPlaylist(pieceLines(["/format.bin"])));
    hls.files.set("/format.bin", new Uint8Array(5000).fill(7));
    for (const [path, words] of [
      ["/live.m3u8", "This is a live stream that hasn't ended."],
      ["/protected.m3u8", "This video is protected."],
      ["/format.m3u8", "This video can't be put into one file."],
    ] as const) {
      const popup = await extension.open("popup.html?tab=1");
      const row = await start(popup, path);
      await row.getByText(words).waitFor();
      expect(await row.getByRole("button").allInnerTexts()).toEqual([""]);
      await row.getByRole("button", { name: "Remove" }).click();
      await popup.close();
    }
    expect(await service.assets()).toEqual([]);
  });

  test("asks to open its page again where the chosen quality is no longer there", async () => {
    const popup = await extension.open("popup.html?tab=1");
    const page = `${hls.origin}/watch`;
    const row = await start(popup, "/separate/main.m3u8", { page, quality: "1080p-5000000" });
    await row.getByText("Open its page again and add the video from there").waitFor();
    await row.getByRole("button", { name: "Open its page" }).waitFor();
  });
});

/** What was fetched after a break: what tells which video it is, and each piece from where the service's bytes end. */
function expectRest(sent: number, { requests } = hls): void {
  const asked = numbersOf(requests);
  const rest = asked.filter((number) => number > 0);
  expect(new Set(rest).size).toBe(rest.length);
  // Pieces are held by parts of 8 MiB: reading goes on at most one part before what the service has.
  expect(rest[0]).toBeGreaterThanOrEqual(Math.floor((sent - 8 * MiB) / (LONG.size + 600)) - 1);
  expect(asked.length - rest.length).toBeLessThanOrEqual(1);
}

describe("pieces at a host that refuses strangers", () => {
  const extension = useExtension(service);
  let cdn: HlsServer;
  let host: string;
  beforeAll(async () => {
    cdn = await startHlsServer();
    // Another site than that of the manifest, for cookies too.
    host = cdn.origin.replace("127.0.0.1", "localhost");
    serveSamples(cdn);
  });
  afterEach(async () => {
    Object.assign(cdn, { requests: [], headers: [], isPublic: true, accepts: undefined });
    await extension.inWorker(`chrome.permissions.remove({ origins: ["http://localhost/*"] })`);
  });
  afterAll(() => cdn.close());
  const ruleCount = () =>
    extension.inWorker<number>("chrome.declarativeNetRequest.getSessionRules().then((all) => all.length)");

  /** A popup that was opened by a click above a page of that host, which gives its members their pieces alone. */
  async function openAbovePage() {
    Object.assign(cdn, {
      isPublic: false,
      accepts: ({ cookie }: HlsServer["headers"][number]) => cookie === "member=yes",
    });
    await extension.context.addCookies([{ name: "member", value: "yes", url: host }]);
    cdn.files.set("/watch", "<title>A page</title>");
    cdn.habits.set("/watch", { headers: { "content-type": "text/html" } });
    const page = await extension.context.newPage();
    await page.goto(`${host}/watch`);
    await (await openRealPopup(extension, page.url())).detach();
    const popup = await extension.open("popup.html?tab=1");
    return { page, popup };
  }

  test("though it gives their playlist: the row asks for it", async () => {
    // As hosts do that check the referrer of pieces alone.
    cdn.habits.set("/ts/0.ts", { status: 403 });
    const popup = await extension.open("popup.html?tab=1");
    await hand(popup, "", { address: `${host}/ts/index.m3u8`, page: `${hls.origin}/watch`, open: true });
    const row = rowOf(popup, "A video");
    await row.getByRole("button", { name: "Start" }).click();
    await row.getByText(`Allow the browser to read from ${new URL(host).host}`).waitFor();
    cdn.habits.clear();
  });

  test.each([
    ["doesn't let scripts of others read", "page's", false],
    ["answers 403", "frame's", true],
  ])(
    "and %s: the row asks for it, and they are read with their cookies and the %s referrer",
    async (_, whose, isPublic) => {
      const player = `${hls.origin}/watch?v=${MARKER}`;
      const isFrame = whose === "frame's";
      const from = isFrame ? { page: "https://news.example/today", referrer: player } : { page: player };
      Object.assign(cdn, {
        isPublic,
        accepts: ({ cookie, referer }: HlsServer["headers"][number]) =>
          cookie === "member=yes" && referer === `${hls.origin}/`,
      });
      await extension.context.addCookies([{ name: "member", value: "yes", url: host }]);
      hls.files.set(
        "/index.m3u8",
        mediaPlaylist(pieceLines([0, 1, 2].map((each) => `${host}/ts/${each}.ts`))),
      );
      const popup = await extension.open("popup.html?tab=1");
      await hand(popup, "/index.m3u8", from);
      const row = rowOf(popup, "A video");
      await row.getByRole("button", { name: "Start" }).click();
      await row.getByText(`Allow the browser to read from ${new URL(host).host}`).waitFor();
      await row.getByRole("button", { name: "Open its page" }).waitFor();
      expect(await service.assets()).toEqual([]);
      expect(JSON.stringify(cdn.headers)).not.toContain("member");
      await extension.allow("http://localhost/*");
      await row.getByRole("button", { name: "Allow this host" }).click();
      await row.getByText(/^Uploaded/).waitFor();
      await expectOriginal(await stored());
      // The rule ends with the upload.
      await expect.poll(ruleCount).toBe(1);
      await popup.evaluate((address) => fetch(address), `${host}/ts/0.ts`);
      expect(cdn.headers.at(-1)?.referer).toBe(undefined);
    },
  );

  test("and sends their requests on to another that does: that one is given the referrer too", async () => {
    Object.assign(cdn, { isPublic: false });
    const pieces = [0, 1, 2].map((each) => `/moved/${each}.ts`);
    cdn.files.set("/moved.m3u8", mediaPlaylist(pieceLines(pieces)));
    for (const path of pieces) {
      const location = hls.origin + path.replace("moved", "ts");
      cdn.habits.set(path, { status: 302, headers: { location } });
    }
    await extension.allow("http://localhost/*");
    hls.accepts = ({ referer }) => referer === "http://site.example/";
    const popup = await extension.open("popup.html?tab=1");
    await hand(popup, "", { address: `${host}/moved.m3u8`, page: "http://site.example/watch" });
    const row = rowOf(popup, "A video");
    await row.getByRole("button", { name: "Start" }).click();
    await row.getByRole("button", { name: "Allow this host" }).click();
    await row.getByText(/^Uploaded/).waitFor();
    expect(cdn.requests).toEqual(expect.arrayContaining(pieces));
    await expectOriginal(await stored());
    await expect.poll(ruleCount).toBe(1);
  });

  test("nor lets them be compared with their player: the row asks whether another length is right", async () => {
    Object.assign(cdn, { isPublic: false });
    const popup = await extension.open("popup.html?tab=1");
    const page = `${hls.origin}/watch`;
    const address = `${host}/ts/index.m3u8`;
    await hand(popup, "", { address, page, playedSeconds: 6.2, title: "As long" });
    await hand(popup, "", {
      address: `${host}/aes/index.m3u8`,
      page,
      playedSeconds: 600,
      title: "Of another length",
    });
    for (const title of ["As long", "Of another length"])
      await rowOf(popup, title).getByRole("button", { name: "Start" }).click();
    const asking = popup.getByRole("button", { name: "Allow this host" });
    await expect.poll(() => asking.count()).toBe(2);
    await extension.allow("http://localhost/*");
    await asking.first().click();
    await rowOf(popup, "As long")
      .getByText(/^Uploaded/)
      .waitFor();
    const row = rowOf(popup, "Of another length");
    // What waits for the same host may go on by itself.
    const words = row.getByText("The video that was found is 0:06 long, the one on the page 10:00.");
    await words.or(asking).first().waitFor();
    if ((await asking.count()) > 0) await asking.first().click();
    await words.waitFor();
    expect(await service.assets()).toHaveLength(1);
    await row.getByRole("button", { name: "Start", exact: true }).click();
    await row.getByText(/^Uploaded/).waitFor();
    await expect.poll(ruleCount).toBe(1);
  });

  test("are read for two pages at once, each with the referrer of its own", async () => {
    const pages = ["http://one.example/watch", "http://two.example/watch"];
    Object.assign(cdn, { isPublic: false });
    const popup = await extension.open("popup.html?tab=1");
    for (const [at, page] of pages.entries()) {
      const folder = `/page-${at}`;
      serveLong(cdn, { pieces: 12, size: 40_000, seed: at + 1, folder });
      // Both are under way before one of them ends.
      cdn.habits.set(`${folder}/5.m4s`, { wait: 4000 });
      await hand(popup, "", { address: `${host}${folder}/index.m3u8`, page, title: `Video ${at}` });
      await rowOf(popup, `Video ${at}`).getByRole("button", { name: "Start" }).click();
    }
    const asking = popup.getByRole("button", { name: "Allow this host" });
    await expect.poll(() => asking.count()).toBe(2);
    Object.assign(cdn, { requests: [], headers: [] });
    await extension.allow("http://localhost/*");
    await asking.first().click();
    // What waits for the same host may go on by itself.
    await expect.poll(() => asking.count()).toBeLessThan(2);
    if ((await asking.count()) > 0) await asking.first().click();
    for (const at of pages.keys())
      await rowOf(popup, `Video ${at}`)
        .getByText(/^Uploaded/)
        .waitFor();
    const referrersOf = (folder: string) =>
      cdn.requests.flatMap((path, at) =>
        path.startsWith(`${folder}/`) ? [String(cdn.headers[at]?.referer)] : [],
      );
    expect([...new Set(referrersOf("/page-0"))]).toEqual(["http://one.example/"]);
    expect([...new Set(referrersOf("/page-1"))]).toEqual(["http://two.example/"]);
    await expect.poll(ruleCount).toBe(1);
  });

  test("whose tab is closed in the middle: the row asks for it, and goes on with the rest", async () => {
    serveLong(cdn, LONG);
    await service.set({ throttle: 3 * MiB });
    const { page, popup } = await openAbovePage();
    await hand(popup, "", { address: `${host}/long/index.m3u8`, page: page.url() });
    const row = rowOf(popup, "A video");
    await row.getByRole("button", { name: "Start" }).click();
    await waitUntilSent(9 * MiB);
    await page.close();
    await row.getByText(`Allow the browser to read from ${new URL(host).host}`).waitFor({ timeout: 60_000 });
    const sent = (await service.uploads())[0]?.offset ?? 0;
    await service.set({ throttle: 0 });
    cdn.requests.length = 0;
    await extension.allow("http://localhost/*");
    await row.getByRole("button", { name: "Allow this host" }).click();
    await row.getByText(/^Uploaded/).waitFor();
    expectRest(sent, cdn);
    cdn.accepts = undefined;
    await expectSame("/long/index.m3u8", cdn);
  });

  test("of the page that Upcut was opened on are read with its cookies", async () => {
    const { page, popup } = await openAbovePage();
    await hand(popup, "", { address: `${host}/aes/index.m3u8`, page: page.url() });
    const row = rowOf(popup, "A video");
    await row.getByRole("button", { name: "Start" }).click();
    await row.getByText(/^Uploaded/).waitFor();
    await expectOriginal(await stored());
    await page.close();
  });

  test("of that page, where it wants the page as the referrer too: the row asks for it", async () => {
    const { page, popup } = await openAbovePage();
    cdn.accepts = ({ cookie, referer }) => cookie === "member=yes" && referer === page.url();
    await hand(popup, "", { address: `${host}/aes/index.m3u8`, page: page.url() });
    const row = rowOf(popup, "A video");
    await row.getByRole("button", { name: "Start" }).click();
    await row.getByText(`Allow the browser to read from ${new URL(host).host}`).waitFor();
    await extension.allow("http://localhost/*");
    await row.getByRole("button", { name: "Allow this host" }).click();
    await row.getByText(/^Uploaded/).waitFor();
    await expectOriginal(await stored());
  });
});

/** Ends all processes of a browser at once, without a word to any. */
async function killBrowser({ browser, context }: Extension): Promise<void> {
  const { processInfo } = await browser.send("SystemInfo.getProcessInfo");
  const ended = new Promise((resolve) => context.once("close", resolve));
  for (const { id } of processInfo) process.kill(id, "SIGKILL");
  await ended;
}

describe("a browser killed in the middle of a video in pieces, and started again", () => {
  test("goes on by itself as the same asset, and fetches only the rest", async () => {
    serveLong(hls, LONG);
    const profile = await scratchFolder("profile");
    let extension: Extension = await loadExtension({ userDataDir: profile.path, firstRun: true });
    try {
      await setUp(extension, service);
      await service.set({ throttle: 3 * MiB });
      const popup = await extension.open("popup.html?tab=1");
      await hand(popup, "/long/index.m3u8", { page: `${hls.origin}/watch` });
      await rowOf(popup, "A video").getByRole("button", { name: "Start" }).click();
      await waitUntilSent((15 + 12 * Math.random()) * MiB);
      await killBrowser(extension);
      const sent = (await service.uploads())[0]?.offset ?? 0;
      await service.set({ throttle: 0 });
      hls.requests.length = 0;
      extension = await loadExtension({ userDataDir: profile.path });
      const again = await extension.open("popup.html");
      await rowOf(again, "A video")
        .getByText(/^Uploaded/)
        .waitFor();
      expectRest(sent);
      await expectSame("/long/index.m3u8");
    } finally {
      await extension.close();
      await profile.remove();
    }
  });
});
