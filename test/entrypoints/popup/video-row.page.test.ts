import { describe, expect, test } from "vitest";
import type { FoundVideo } from "../../../entrypoints/page-videos/page-video.ts";
import { found, frame, inPieces, unstarted } from "../../support/extension/pages/findings.ts";
import { MANIFEST_ORIGIN, PIECES_ORIGIN } from "../../support/extension/pages/manifests.ts";
import { videosOn } from "../../support/extension/pages/popup-actions.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup({ manifests: true });

const { section, box, upload, handedOver, lookAgain, openWith } = videosOn(popup);
const choice = (title: string) => section().getByRole("combobox", { name: `Quality ${title}`, exact: true });
const facts = () => section().locator(".facts").first().textContent();

/** The addresses of the site with the manifests that the popup asks from now on. */
function watchRequests(): string[] {
  const paths: string[] = [];
  popup.page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin === MANIFEST_ORIGIN) paths.push(url.pathname + url.search);
  });
  return paths;
}

/** Which of some hosts the popup asks from now on. */
function watchHosts(hosts: readonly string[]): Set<string> {
  const asked = new Set<string>();
  popup.page.on("request", (request) => {
    const { host } = new URL(request.url());
    if (hosts.includes(host)) asked.add(host);
  });
  return asked;
}

/** Looks again, at a page with other videos. */
async function lookAt(videos: FoundVideo[]): Promise<void> {
  await popup.show({ found: [frame(videos)] });
  await lookAgain();
}

describe("a video in pieces", () => {
  test("is the best quality, by its size as it is estimated, and the hosts of its pieces are asked for in the same click", async () => {
    await openWith({ found: [frame([inPieces("main", { width: 640, height: 360 })])] });
    await expect.poll(facts).toContain("In pieces · 2:00 · 1920\u00a0×\u00a01080");
    expect(await choice("Launch day").locator("option").allTextContents()).toEqual([
      "1080p · about\u00a075\u00a0MB",
      "720p · about\u00a042\u00a0MB",
      "360p · about\u00a012\u00a0MB",
    ]);
    expect(await box("Launch day").isChecked()).toBe(true);
    await upload().click();
    await expect.poll(handedOver).toHaveLength(1);
    const [video] = (await handedOver())[0]?.videos ?? [];
    const address = `${MANIFEST_ORIGIN}/main.m3u8`;
    expect(video).toMatchObject({ address, pieces: "hls", open: true, size: 75_000_000 });
    // The best is what is taken unless another is asked for.
    expect(video).not.toHaveProperty("quality");
    // The host of the manifest lets everybody read.
    await expect.poll(popup.calls).toEqual([`permission ${PIECES_ORIGIN}/*`]);
    expect(await popup.page.content()).not.toContain("a-signature");
  });

  test("is taken in the quality that a person chooses, without a mouse", async () => {
    await openWith({ found: [frame([inPieces("main"), inPieces("short", { title: "Short" })])] });
    await choice("Launch day").focus();
    await popup.page.keyboard.press("ArrowDown");
    await popup.page.keyboard.press("ArrowDown");
    await expect.poll(facts).toContain("640\u00a0×\u00a0360");
    // Neither does it pick the video.
    expect(await box("Launch day").isChecked()).toBe(false);
    await lookAgain();
    await expect.poll(() => choice("Launch day").inputValue()).toBe("360p-800000");
    expect(await choice("Short").count()).toBe(0);
    await box("Launch day").check();
    await upload().click();
    await expect.poll(handedOver).toMatchObject([{ videos: [{ pieces: "hls", quality: "360p-800000" }] }]);
  });

  test("is taken in the language that a person chooses, and says what isn't taken", async () => {
    await openWith({ found: [frame([inPieces("languages")])] });
    const left = "without 2 subtitles";
    const said = () => section().locator(".facts").nth(1).textContent();
    await expect.poll(said).toBe(`English of 3 languages · ${left}`);
    const sound = section().getByRole("combobox", { name: "Sound Launch day", exact: true });
    expect(await sound.locator("option").allTextContents()).toEqual([
      "English",
      "German",
      "English (Commentary)",
    ]);
    await sound.focus();
    await popup.page.keyboard.press("ArrowDown");
    await expect.poll(said).toBe(`German of 3 languages · ${left}`);
    await lookAgain();
    await expect.poll(() => sound.inputValue()).toBe("de");
    await box("Launch day").check();
    await upload().click();
    await expect.poll(handedOver).toMatchObject([{ videos: [{ language: "de", subtitles: 2 }] }]);
    const { languages, quality } = (await handedOver())[0]?.videos[0] ?? {};
    expect([languages?.length, quality]).toEqual([3, undefined]);
  });

  test("that can't be read yet is handed over as what it is, and its host asked for", async () => {
    const away = { kind: "dash" as const, address: "https://other.example/a.mpd", title: "Away" };
    await openWith({ found: [frame([found(away)])] });
    await upload().click();
    await expect.poll(handedOver).toMatchObject([{ videos: [{ pieces: "dash" }] }]);
    expect(await popup.calls()).toEqual(["permission https://other.example/*"]);
  });

  test("that can't be taken says why, and is not to be picked", async () => {
    await openWith();
    await lookAt([inPieces("live"), inPieces("protected"), inPieces("strange")]);
    for (const words of [
      "A live stream that hasn't ended: can't be uploaded.",
      "Protected against copying: can't be uploaded.",
      "In a format that can't be uploaded.",
    ])
      await section().getByText(words, { exact: true }).waitFor();
    expect(await section().getByRole("checkbox").count()).toBe(0);
    expect(await upload().count()).toBe(0);
    await lookAt([inPieces("expired")]);
    await section().getByText("Its server refuses it").waitFor();
  });
});

describe("a host in the network of the person", () => {
  const bare = { kind: "file" as const, aliases: [] };
  const named: FoundVideo[] = [
    { ...bare, address: "http://192.168.1.1/tour.mp4", title: "A file" },
    { ...bare, address: "https://media.example/tour.mp4", poster: "http://printer.local/poster.png" },
    inPieces("", { address: "http://127.0.0.1:9/main.m3u8", title: "In pieces" }),
  ];
  const hosts = ["192.168.1.1", "printer.local", "127.0.0.1:9"];

  test.each([
    ["isn't asked where a page of the internet names it", "https://news.example/", []],
    ["is asked where a page of that network does", "http://192.168.1.5/", hosts],
  ])("%s", async (_, url, expected) => {
    await openWith();
    const asked = watchHosts(hosts);
    await popup.show({ found: [frame([...named, inPieces("main", { title: "Public" })], { url })] });
    await lookAgain();
    await choice("Public").waitFor();
    await expect.poll(() => [...asked].sort()).toEqual([...expected].sort());
    await box("A file").check();
    await upload().click();
    await expect.poll(handedOver).toMatchObject([{ videos: [{ address: "http://192.168.1.1/tour.mp4" }] }]);
    expect(await popup.calls()).toContain("permission http://192.168.1.1/*");
  });
});

describe("manifests are read", () => {
  test("once each, and only those of rows in sight", async () => {
    await openWith();
    const asked = watchRequests();
    await lookAt(
      Array.from({ length: 40 }, (_, at) =>
        inPieces("short", { address: `${MANIFEST_ORIGIN}/short.m3u8?id=${at}` }),
      ),
    );
    const ids = () => asked.map((path) => Number(path.split("=")[1]));
    await expect.poll(facts).toContain("0:16");
    const last = section().locator("#page-videos-list > li").last();
    // Rows are laid out as they come into sight, which moves those below.
    await expect.poll(() => last.scrollIntoViewIfNeeded().then(ids)).toContain(39);
    expect(new Set(asked).size).toBe(asked.length);
    expect(ids()).toContain(1);
    expect(ids()).not.toContain(20);
  });

  test("to find the one that an element plays, and the playlists it names are not listed", async () => {
    await openWith();
    const asked = watchRequests();
    const loaded = (name: string): FoundVideo => ({
      kind: "hls",
      address: `${MANIFEST_ORIGIN}/${name}.m3u8`,
      aliases: [],
      isRequested: true,
    });
    const player = found({
      kind: "media-source",
      address: "blob:https://news.example/1",
      title: "What plays",
      duration: 16.2,
      shown: unstarted,
    });
    await lookAt([player, loaded("main"), loaded("720"), loaded("short")]);
    const all = ["/1080.m3u8", "/360.m3u8", "/720.m3u8", "/main.m3u8", "/short.m3u8"];
    await expect.poll(() => asked.toSorted()).toEqual(all);
    await expect.poll(() => section().getByText("Looking…").count()).toBe(0);
    await expect.poll(() => section().getByRole("checkbox").count()).toBe(1);
    await expect.poll(() => box("What plays").isChecked()).toBe(true);
    expect(asked).toHaveLength(all.length);
    await upload().click();
    await expect
      .poll(handedOver)
      .toMatchObject([{ videos: [{ address: `${MANIFEST_ORIGIN}/short.m3u8`, title: "What plays" }] }]);
    expect((await handedOver())[0]?.videos[0]).not.toHaveProperty("playedSeconds");
    // A manifest that can't be read yet is compared with its player once it can be.
    await lookAt([player, { ...loaded(""), address: "https://other.example/main.m3u8" }]);
    await section().getByText("other.example").waitFor();
    await box("What plays").check();
    await upload().click();
    await expect.poll(async () => (await handedOver())[1]?.videos).toMatchObject([{ playedSeconds: 16.2 }]);
  });
});
