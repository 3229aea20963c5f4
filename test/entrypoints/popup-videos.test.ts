import { describe, expect, test } from "vitest";
import type { PageVideos, PageVideosOptions } from "../../entrypoints/popup/page-videos/section.ts";
import type { OffscreenCommand } from "../../entrypoints/shared/messages.ts";
import { buildCallable } from "./pages/collector.ts";
import { found, frame, pagesFound } from "./pages/findings.ts";
import { states } from "./pages/jobs.ts";
import type { PopupOptions } from "./pages/popup.ts";
import { usePopup } from "./pages/use-pages.ts";

const popup = usePopup();

const here = (n: number) =>
  found({ address: `https://news.example/${n}.mp4?X-Signature=a-signature`, title: `Video ${n}` });
const elsewhere = (n: number) =>
  found({ address: `https://cdn${n}.example/video.mp4`, title: `Far video ${n}` });
const blob = found({ kind: "blob", address: "blob:https://news.example/1", title: "A Blob" });

const section = () => popup.page.getByRole("region", { name: "Videos on this page" });
const box = (title: string) => section().getByRole("checkbox", { name: title, exact: true });
const upload = () => section().getByRole("button", { name: /^Upload/ });
type Addresses = Extract<OffscreenCommand, { type: "addresses" }>;
const handedOver = async () => (await popup.asks()).filter(({ type }) => type === "addresses") as Addresses[];

describe("while a page gives no answer", () => {
  test("everything else of the popup is there and works", async () => {
    await popup.open({ found: "stuck", jobs: states.uploading?.() ?? [] });
    await section().getByText("Looking…").waitFor();
    await popup.page.getByRole("heading", { name: "holiday-2024" }).waitFor();
    await expect.poll(() => popup.page.getByRole("button", { name: "Choose videos" }).isEnabled()).toBe(true);
  });
});

describe("the state of the page is shown", () => {
  test.each<[string, PopupOptions, string]>([
    ["without videos", {}, "None found"],
    ["that lets no script in", { found: "closed" }, "Can't be searched"],
    [
      "whose tab can't be reached any more",
      { found: "closed", query: "?tab=7" },
      "Open Upcut on the page itself to see its videos",
    ],
    ["with videos", { found: pagesFound.kinds ?? [] }, "6"],
  ])("%s", async (_, options, words) => {
    await popup.open(options);
    await section().getByText(words, { exact: true }).waitFor();
    expect(await upload().count()).toBe(options.found === pagesFound.kinds ? 1 : 0);
  });

  test("and a tab without a page says nothing of it", async () => {
    await popup.open({ query: "?tab=" });
    expect(await popup.page.locator("#page-videos").isVisible()).toBe(false);
  });

  test("and a tab names the page", async () => {
    await popup.open({ query: "?tab=7", found: [frame([here(1)])] });
    await popup.page.getByRole("heading", { name: "Videos on “The news of today”" }).waitFor();
  });
});

describe("a page that can't be searched", () => {
  const pdf = [frame([], { isPdf: true })];
  const own = (address: string): PopupOptions => ({ found: "closed", tabAddress: address });
  test.each<[string, PopupOptions, string]>([
    ["a page of the browser", own("chrome://newtab/"), "This is one of the browser's own pages"],
    ["an empty tab", own("about:blank"), "This is one of the browser's own pages"],
    ["the extension store", own("https://chromewebstore.google.com/x"), "out of the extension store"],
    ["a PDF", { found: pdf }, "This is a PDF and not a web page."],
    ["the source of a page", own("view-source:https://news.example/"), "Open the page itself."],
    [
      "another extension's page",
      own("chrome-extension://other/a.html"),
      "This page belongs to an extension.",
    ],
    ["a page that didn't load", own("chrome-error://chromewebdata/"), "The page didn't load."],
    ["another page", own("https://news.example/"), "The browser keeps extensions out of this page."],
  ])("says why: %s", async (_, options, words) => {
    await popup.open(options);
    await section().getByText(words).waitFor();
    expect(await section().getByRole("button", { name: "Choose the file instead" }).count()).toBe(0);
    expect(await upload().count()).toBe(0);
  });

  test.each<[string, PopupOptions]>([
    ["is a file on this computer", own("file:///home/me/video.mp4")],
    ["may be one", { found: "closed" }],
  ])("and %s has it chosen instead", async (_, options) => {
    await popup.open(options);
    await section().getByText("a file on this computer").waitFor();
    await expect.poll(() => popup.page.getByRole("button", { name: "Choose videos" }).isEnabled()).toBe(true);
    const dialog = popup.page.waitForEvent("filechooser");
    await section().getByRole("button", { name: "Choose the file instead" }).click();
    await dialog;
  });
});

describe("background loops", () => {
  const loops = () => section().getByRole("group").filter({ hasText: "30 background loops" });

  test("are folded into one line, and the only other video is ticked", async () => {
    await popup.open({ found: pagesFound.loops ?? [] });
    await expect.poll(() => box("The showreel").isChecked()).toBe(true);
    expect(await upload().textContent()).toBe("Upload 1 video");
    expect(await loops().isVisible()).toBe(true);
    expect(await box("Behind text 1").isVisible()).toBe(false);
    expect(await section().getByText("Select all").isVisible()).toBe(false);
  });

  test("can be opened and ticked, and are part of all only then", async () => {
    await popup.open({ found: pagesFound.loops ?? [] });
    await section().getByText("30 background loops").press("Enter");
    await box("Behind text 30").check();
    expect(await upload().textContent()).toBe("Upload 2 videos");
    await box("Select all").check();
    expect(await upload().textContent()).toBe("Upload 31 videos");
    await upload().click();
    await expect.poll(async () => (await handedOver())[0]?.videos.length).toBe(31);
  });
});

describe("what was found is said aloud once", () => {
  test.each<[string, PopupOptions, string]>([
    ["several", { found: pagesFound.kinds ?? [] }, "6 videos found"],
    ["one", { found: pagesFound.one ?? [] }, "1 video found"],
    ["none", {}, "0 videos found"],
  ])("%s", async (_, options, words) => {
    await popup.open(options);
    const spoken = popup.page.locator("[aria-live=polite]#page-videos-found");
    await expect.poll(() => spoken.textContent()).toBe(words);
    await spoken.evaluate((element) => {
      Object.assign(globalThis, { changes: 0 });
      new MutationObserver(() => {
        (globalThis as unknown as { changes: number }).changes++;
      }).observe(element, { childList: true, characterData: true, subtree: true });
    });
    await popup.tell({ type: "ready" });
    await expect.poll(() => popup.page.getByRole("button", { name: "Choose videos" }).isEnabled()).toBe(true);
    expect(await popup.page.evaluate(() => (globalThis as unknown as { changes: number }).changes)).toBe(0);
  });
});

describe("a link that only its server knows to be a video", () => {
  test("is listed with the name that its server gives it", async () => {
    await popup.open({ found: [frame([])] });
    const { origin } = new URL(popup.page.url());
    await popup.page.route("**/files/**", async (route) => {
      const isVideo = route.request().url().endsWith("/1");
      await route.fulfill({
        headers: {
          "content-disposition": `attachment; filename="${isVideo ? "The tour.mp4" : "terms.pdf"}"`,
          "content-type": "application/octet-stream",
        },
      });
    });
    const links = ["1", "2"].map((path) => ({ address: `${origin}/files/${path}`, title: "Download" }));
    const elsewhere = { address: "https://other.example/download/3" };
    const page = frame([], { url: `${origin}/page`, unnamedLinks: [...links, elsewhere] });
    await popup.page.evaluate((result) => {
      chrome.scripting.executeScript = (async () => [{ frameId: 0, result }]) as never;
    }, page);
    await section().getByRole("button", { name: "Look again" }).click();
    await expect.poll(() => box("The tour").isChecked()).toBe(true);
    expect(await section().getByRole("checkbox").count()).toBe(1);
    await section().getByText("1 video found").waitFor({ state: "attached" });
  });
});

describe("choosing", () => {
  test("is done already where there is only one", async () => {
    await popup.open({ found: [frame([here(1), found({ kind: "drm", title: "Locked" })])] });
    await expect.poll(() => box("Video 1").isChecked()).toBe(true);
    await expect.poll(() => upload().textContent()).toBe("Upload 1 video");
    expect(await section().getByRole("checkbox").count()).toBe(1);
  });

  test("all at once leaves out what can't be taken", async () => {
    await popup.open({ found: pagesFound.kinds ?? [] });
    await box("Select all").check();
    expect(await upload().textContent()).toBe("Upload 4 videos");
    await box("Launch day").uncheck();
    expect(await box("Select all").evaluate((all) => (all as HTMLInputElement).indeterminate)).toBe(true);
    expect(await upload().textContent()).toBe("Upload 3 videos");
  });

  test("and uploading need no mouse, and the focus stays where it was", async () => {
    await popup.open({ found: [frame([here(1), here(2)])] });
    await expect.poll(() => popup.page.getByRole("button", { name: "Choose videos" }).isEnabled()).toBe(true);
    await box("Video 2").focus();
    await popup.page.keyboard.press("Space");
    for (const _ of "12") await popup.page.keyboard.press("Tab");
    await popup.page.keyboard.press("Enter");
    await expect.poll(async () => (await handedOver())[0]?.videos).toMatchObject([{ title: "Video 2" }]);
    expect(await upload().evaluate((button) => button === document.activeElement)).toBe(true);
    await section().getByText("Added to the uploads").waitFor();
    await popup.page.keyboard.press("Enter");
    expect(await handedOver()).toHaveLength(1);
  });
});

describe("uploading", () => {
  test("hands over the whole address, and shows no more of it than a foreign host", async () => {
    await popup.open({ found: [frame([here(1), elsewhere(2)])] });
    await box("Select all").check();
    await upload().click();
    await expect.poll(handedOver).toMatchObject([
      {
        videos: [
          {
            address: "https://news.example/1.mp4?X-Signature=a-signature",
            title: "Video 1",
            page: "https://news.example/today",
            size: 48_200_000,
          },
          { address: "https://cdn2.example/video.mp4", title: "Far video 2" },
        ],
      },
    ]);
    expect(await popup.page.content()).not.toContain("a-signature");
    expect(await section().textContent()).toContain("cdn2.example");
    expect(await section().textContent()).not.toContain("news.example");
  });

  test("asks for all foreign hosts in one question, within the click and after the videos are safe", async () => {
    await popup.open({
      found: [
        frame([
          here(1),
          elsewhere(1),
          elsewhere(2),
          { ...elsewhere(2), address: "https://cdn2.example/other.mp4" },
        ]),
      ],
    });
    await box("Select all").check();
    // As a real prompt may do it: the page is gone with the question.
    await popup.page.evaluate(() => {
      const order: string[] = [];
      const post = BroadcastChannel.prototype.postMessage;
      BroadcastChannel.prototype.postMessage = function (message) {
        order.push(message.type);
        post.call(this, message);
      };
      chrome.permissions.request = (async ({ origins }: chrome.permissions.Permissions) => {
        order.push(`${origins} ${navigator.userActivation.isActive}`);
        return new Promise(() => {});
      }) as typeof chrome.permissions.request;
      Object.assign(globalThis, { order });
    });
    await upload().click();
    expect(await popup.page.evaluate(() => (globalThis as unknown as { order: string[] }).order)).toEqual([
      "addresses",
      "https://cdn1.example/*,https://cdn2.example/* true",
    ]);
  });

  test("asks for nothing where everything lies on the page's own site", async () => {
    await popup.open({ found: [frame([here(1), here(2)])] });
    await box("Select all").check();
    await upload().click();
    await expect.poll(handedOver).toHaveLength(1);
    expect(await popup.calls()).toEqual([]);
  });

  test("without the permission says which videos wait for it", async () => {
    await popup.open({ found: [frame([here(1), elsewhere(1)])], agrees: false });
    await box("Select all").check();
    await upload().click();
    await popup.page
      .getByRole("alert")
      .filter({ hasText: "The browser was not allowed to read from cdn1.example" })
      .waitFor();
    expect((await handedOver())[0]?.videos).toHaveLength(2);
  });

  test("has a Blob sent by its own page, and says if that is gone", async () => {
    await popup.open({ found: [frame([blob])] });
    await upload().click();
    await section().getByText("Added to the uploads").waitFor();
    expect(await popup.calls()).toEqual([`blob ${blob.address}`]);
    expect(await handedOver()).toEqual([]);
    await popup.page.evaluate(() => {
      chrome.scripting.executeScript = async () => {
        throw new Error("No tab with id: 7");
      };
    });
    await box("A Blob").check();
    await upload().click();
    await popup.page.getByRole("alert").filter({ hasText: "no longer has this video" }).waitFor();
    expect(await section().getByText("Added to the uploads").count()).toBe(0);
  });

  test("waits until there is somebody to hand over to", async () => {
    await popup.open({ found: [frame([here(1)])], answers: false });
    await expect.poll(() => upload().getAttribute("aria-disabled")).toBe("true");
    await popup.tell({ type: "ready" });
    await expect.poll(() => upload().getAttribute("aria-disabled")).toBe("false");
  });
});

describe("players of other sites", () => {
  test("are named, and searched after a click that asks for them", async () => {
    await popup.open({ found: pagesFound.frames ?? [] });
    const list = popup.page.getByRole("list", { name: "Players from other sites" });
    await expect
      .poll(() => list.getByRole("listitem").allTextContents())
      .toEqual([
        expect.stringContaining("Player from player.example"),
        expect.stringContaining("Player from videos.other.example:8443"),
        expect.stringContaining("Player from a.example"),
        "And players from 1 other site.",
      ]);
    await list.getByRole("button").first().press("Enter");
    await list.getByText("Can't be searched: player from player.example").waitFor();
    // The button that had the focus is gone.
    const focused = () => popup.page.evaluate(() => document.activeElement?.id);
    await expect.poll(focused).toBe("look-again");
    expect(await popup.calls()).toEqual(["permission https://player.example/*"]);
  });
});

describe("looking again", () => {
  test("keeps what was ticked and what was added", async () => {
    await popup.open({ found: [frame([here(1), here(2), here(3)])] });
    await box("Video 1").check();
    await upload().click();
    await box("Video 2").check();
    await section().getByRole("button", { name: "Look again" }).click();
    await expect.poll(() => section().getByText("Added to the uploads").count()).toBe(1);
    expect(await box("Video 2").isChecked()).toBe(true);
    expect(await box("Video 3").isChecked()).toBe(false);
  });
});

describe("a video that was uploaded before, or is in the list", () => {
  test("is shown so, and not ticked unless the person does", async () => {
    const videos = [here(1), here(2), here(3)];
    await popup.open({ found: [frame(videos)] });
    await expect.poll(() => section().getByRole("checkbox").count()).toBe(4);
    await popup.page.evaluate(await buildCallable("popup/page-videos/section.ts", "createPageVideos"));
    await popup.page.evaluate(async () => {
      const { createPageVideos } = globalThis as unknown as {
        createPageVideos(options: PageVideosOptions): PageVideos;
      };
      const known: Record<string, "listed" | "uploaded"> = { "Video 1": "listed", "Video 2": "uploaded" };
      const section = createPageVideos({
        surface: "popup",
        send: () => {},
        nameBatch: () => "batch",
        lookUp: async (videos) => videos.map(({ title }) => known[title]),
      });
      section.enable();
      await section.lookInto(7);
    });
    await section().getByText("In the list already").waitFor();
    await section().getByText("Uploaded already").waitFor();
    expect(await box("Video 1").isChecked()).toBe(false);
    await box("Video 2").check();
    expect(await upload().textContent()).toBe("Upload 1 video");
  });
});
