import { describe, expect, test } from "vitest";
import { found, frame, pagesFound } from "../../support/extension/pages/findings.ts";
import { states } from "../../support/extension/pages/jobs.ts";
import { hasFocus, videosOn } from "../../support/extension/pages/popup-actions.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();

const here = (n: number) =>
  found({ address: `https://news.example/${n}.mp4?X-Signature=a-signature`, title: `Video ${n}` });
const elsewhere = (n: number) =>
  found({ address: `https://cdn${n}.example/video.mp4`, title: `Far video ${n}` });
const blob = found({ kind: "blob", address: "blob:https://news.example/1", title: "A Blob" });

const { section, box, upload, handedOver, line, lookAgain, openWith } = videosOn(popup);

describe("the state of the page is shown", () => {
  test("with the number of its videos, which is said aloud once", async () => {
    await openWith({ found: pagesFound.kinds ?? [], answers: false });
    expect(await line().textContent()).toBe("6 videos on this page ");
    const spoken = popup.page.locator("[aria-live=polite]#page-videos-found");
    await expect.poll(() => spoken.textContent()).toBe("6 videos found");
    await spoken.evaluate((element) => {
      Object.assign(globalThis, { changes: 0 });
      new MutationObserver(() => {
        (globalThis as unknown as { changes: number }).changes++;
      }).observe(element, { childList: true, characterData: true, subtree: true });
    });
    await box("Launch day").check();
    // There is nobody to hand over to yet.
    expect(await upload().getAttribute("aria-disabled")).toBe("true");
    await popup.tell({ type: "ready" });
    await expect.poll(() => upload().getAttribute("aria-disabled")).toBe("false");
    expect(await popup.page.evaluate(() => (globalThis as unknown as { changes: number }).changes)).toBe(0);
    await popup.show({ found: [frame([])] });
    await lookAgain();
    await expect.poll(() => line().textContent()).toBe("No videos on this page ");
    await expect.poll(() => spoken.textContent()).toBe("0 videos found");
    expect(await upload().count()).toBe(0);
  });

  test("as none that can be uploaded, where a script feeds all of its players", async () => {
    await popup.open({ found: [frame([found({ kind: "media-source", address: "" })])] });
    await line().getByText("No video here can be uploaded").waitFor();
    const spoken = popup.page.locator("#page-videos-found");
    await expect.poll(() => spoken.textContent()).toBe("No video here can be uploaded");
  });

  test("in a line that moves nothing when it comes, with a single video to be uploaded from it", async () => {
    await popup.open({ found: "stuck", jobs: states.uploading?.() ?? [] });
    const top = () => popup.page.locator("#uploads").evaluate((it) => it.getBoundingClientRect().top);
    const before = await top();
    await popup.open({ found: [frame([here(1)])], jobs: states.uploading?.() ?? [] });
    const button = popup.page.getByRole("button", { name: "Upload", exact: true });
    await button.waitFor();
    expect(await top()).toBe(before);
    await button.click();
    await expect.poll(handedOver).toMatchObject([{ videos: [{ title: "Video 1" }] }]);
  });

  test("in a tab with its name, and only where that was opened from a page that can be searched", async () => {
    await openWith({ query: "?tab=7", found: [frame([here(1)])] });
    expect(await line().textContent()).toBe("1 video on “The news of today” ");
    await popup.open({ query: "?tab=" });
    expect(await line().count()).toBe(0);
    for (const options of [{ query: "?tab=7" }, { tabAddress: "about:blank" }]) {
      await popup.open({ found: "closed", ...options });
      await expect.poll(() => popup.page.locator("#ways").textContent()).toBe("Paste a link");
    }
  });
});

test("background loops are folded into one line, and can be opened and ticked", async () => {
  await openWith({ found: pagesFound.loops ?? [] });
  await expect.poll(() => box("The showreel").isChecked()).toBe(true);
  expect(await upload().textContent()).toBe("Upload 1 video");
  expect(await box("Behind text 1").isVisible()).toBe(false);
  expect(await section().getByText("Select all").isVisible()).toBe(false);
  await section().getByText("30 background loops").press("Enter");
  await box("Behind text 30").check();
  expect(await upload().textContent()).toBe("Upload 2 videos");
  await box("Select all").check();
  expect(await upload().textContent()).toBe("Upload 31 videos");
  await upload().click();
  await expect.poll(async () => (await handedOver())[0]?.videos.length).toBe(31);
});

describe("a link that only its server knows to be a video", () => {
  test("is listed with the name that its server gives it", async () => {
    await openWith({ found: [frame([])] });
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
    await lookAgain();
    await expect.poll(() => box("The tour").isChecked()).toBe(true);
    expect(await section().getByRole("checkbox").count()).toBe(1);
    await popup.page.getByText("1 video found").waitFor({ state: "attached" });
  });
});

describe("choosing", () => {
  test("all at once leaves out what can't be taken", async () => {
    await openWith({ found: pagesFound.kinds ?? [] });
    await box("Select all").check();
    expect(await upload().textContent()).toBe("Upload 4 videos");
    await box("Launch day").uncheck();
    expect(await box("Select all").evaluate((all) => (all as HTMLInputElement).indeterminate)).toBe(true);
    expect(await upload().textContent()).toBe("Upload 3 videos");
  });

  test("and uploading need no mouse, and the focus stays where it was", async () => {
    await openWith({ found: [frame([here(1), here(2)])] });
    await box("Video 2").focus();
    await popup.page.keyboard.press("Space");
    await upload().press("Enter");
    await expect.poll(async () => (await handedOver())[0]?.videos).toMatchObject([{ title: "Video 2" }]);
    expect(await hasFocus(upload())).toBe(true);
    await section().getByText("Added to the uploads").waitFor();
    await popup.page.keyboard.press("Enter");
    expect(await handedOver()).toHaveLength(1);
  });
});

describe("uploading", () => {
  test("hands over the whole address, and shows no more of it than a foreign host", async () => {
    await openWith({ found: [frame([here(1), elsewhere(2)])] });
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
    await openWith({
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

  test("without the permission says which videos wait for it", async () => {
    await openWith({ found: [frame([here(1), elsewhere(1)])], agrees: false });
    await box("Select all").check();
    await upload().click();
    await popup.page
      .getByRole("alert")
      .filter({ hasText: "The browser was not allowed to read from cdn1.example" })
      .waitFor();
    expect((await handedOver())[0]?.videos).toHaveLength(2);
  });

  test("has a Blob sent by its own page, and says if that is gone", async () => {
    await openWith({ found: [frame([blob])] });
    await upload().click();
    await section().getByText("Added to the uploads").waitFor();
    expect(await popup.calls()).toEqual([`blob ${blob.address}`]);
    // Before its page sends it, it is announced.
    expect(await popup.asks()).toMatchObject([{ type: "expect-blob", batch: expect.any(String) }]);
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
});

describe("players of other sites", () => {
  test("are named, and searched after a click that asks for them", async () => {
    await openWith({ found: pagesFound.frames ?? [] });
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
    await openWith({ found: [frame([here(1), here(2), here(3)])] });
    await box("Video 1").check();
    await upload().click();
    await box("Video 2").check();
    await lookAgain();
    await expect.poll(() => section().getByText("Added to the uploads").count()).toBe(1);
    expect(await box("Video 2").isChecked()).toBe(true);
    expect(await box("Video 3").isChecked()).toBe(false);
    // Nothing is asked for where everything lies on the page's own site.
    expect(await handedOver()).toHaveLength(1);
    expect(await popup.calls()).toEqual([]);
  });
});
