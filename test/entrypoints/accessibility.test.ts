import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { DEFAULT_SETTINGS } from "../../entrypoints/shared/settings.ts";
import { violationsInBothSchemes, violationsOf } from "./accessibility.ts";
import { LANGUAGES } from "./catalogue.ts";
import type { Answer, FakeGlobals } from "./pages/fake-chrome.ts";
import { answer, usePages } from "./pages/use-pages.ts";

const storage = { settings: { ...DEFAULT_SETTINGS, address: "https://video.example" }, token: "a-token" };
const allowed = ["https://video.example/*"];
const openPage = usePages();

const refused = (code: string, more = {}, path?: string): Answer => {
  const error = { name: "ServiceError", code, message: "Cannot: why", retryable: false, ...more };
  return { error, ...(path && { path }) } as Answer;
};

describe.each(LANGUAGES)("in the language %s", (language) => {
  const direction = language === "ar" ? "rtl" : "ltr";

  /** What is wrong with a page as it is. */
  async function look(page: Page, scene: string): Promise<void> {
    const shown = await page.evaluate(() => {
      const { lang, dir, scrollWidth, clientWidth } = document.documentElement;
      return { language: lang.slice(0, 2), dir, aside: scrollWidth - clientWidth };
    });
    expect(shown, scene).toEqual({ language, dir: direction, aside: 0 });
    // No language has colours of its own.
    expect(await (language === "en" ? violationsInBothSchemes : violationsOf)(page), scene).toEqual([]);
  }

  test("the window that ends a stream has no axe violations, whatever the answer is", async () => {
    const answers: Answer[] = [
      refused("not-found", { details: ["stream not found"] }),
      refused("unauthorized"),
      refused("unreachable"),
      "died",
      refused("wrong-address"),
      { missing: "host", origin: "https://video.example" },
      { missing: "settings" },
      refused("rate-limited", { retryAfter: 30 }),
      { ended: true },
    ];
    const query = "?id=a-stream";
    const page = await openPage("terminate", { storage, allowed, language, query, answers: ["later"] });
    await look(page, "before");
    for (const [place, given] of answers.entries()) {
      await page.reload();
      await page.click("#end");
      if (place === 0) await look(page, "under way");
      await answer(page, given);
      await page.locator("#outcome").waitFor();
      await look(page, `answer ${place}`);
    }
    await page.reload();
    await page.fill("#id", "..");
    await look(page, "a wrong id");
  });

  test("the options have no axe violations at first, with mistakes, and after each check", async () => {
    const answers: Answer[] = [
      "later",
      refused("unauthorized", { details: ["no token [removed] found"] }),
      refused("unreachable"),
      refused("rate-limited"),
      refused("wrong-address", {}, "/api/stream/{id}/terminate"),
      refused("not-found"),
    ];
    const page = await openPage("options", { answers, allowed, language });
    await look(page, "first");
    await page.click("button[type=submit]");
    expect(await page.locator("[aria-invalid=true]").count()).toBeGreaterThan(0);
    await look(page, "nothing entered");
    await page.click(".where > summary");
    await page.fill("#address", "https://video.example");
    await page.fill("#token", "tok-1");
    await look(page, "filled in");
    await page.click("button[type=submit]");
    await page.locator("#connection").waitFor();
    await look(page, "under way");
    await answer(page, refused("forbidden"));
    for (const place of answers.keys()) {
      await page.locator('#connection[aria-busy="false"]').waitFor();
      await look(page, `check ${place}`);
      if (place < answers.length - 1) await page.click("#check");
    }
    await page.locator("#next:not([hidden])").waitFor();
    await page.evaluate(() => (globalThis as unknown as FakeGlobals).pin());
    await look(page, "what is next");
  });

  test("the options have no axe violations set up, unfolded, with rows, with mistakes and with a question", async () => {
    const page = await openPage("options", { storage, allowed: [], language });
    await page.locator("#token[readonly]").waitFor();
    await look(page, "set up, and the host not allowed");
    await page.evaluate(() => {
      for (const section of document.querySelectorAll("details")) section.open = true;
    });
    await page.locator("#profiles button").last().click();
    await look(page, "unfolded");
    await page.locator("#profiles input[inputmode=numeric]").first().fill("wide");
    await page.check("#streamMenu-listed");
    await page.fill("#streamMenuPages", "dashboard.example\nno address");
    await page.fill("#path-terminate", "/stream");
    await page.click("button[type=submit]");
    expect(await page.locator("[aria-invalid=true]").count()).toBeGreaterThan(2);
    await look(page, "mistakes");
    await page.click("#forget");
    await look(page, "the question before the account is forgotten");
  });
});

describe.each(LANGUAGES)("in a low window, as one is at 200 %%, in the language %s", (language) => {
  /** What of these is in sight. */
  const seen = (page: Page) =>
    page.evaluate(() => {
      const { clientWidth: width, clientHeight: height } = document.documentElement;
      return [...document.querySelectorAll("#id, footer > button:not([hidden])")].map((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        const [x, y] = [(left + right) / 2, (top + bottom) / 2];
        const isInside = left >= 0 && top >= 0 && right <= width && bottom <= height;
        return `${element.id} ${isInside && document.elementFromPoint(x, y) === element}`;
      });
    });

  test.each([
    ["before", undefined, ["id true", "close true", "end true"]],
    ["after the end", { ended: true } as Answer, ["id true", "close true"]],
    [
      "after a refusal",
      refused("not-found", { details: ["stream not found"] }),
      ["id true", "close true", "end true"],
    ],
    [
      "after too many calls",
      refused("rate-limited", { retryAfter: 30 }),
      ["id true", "close true", "end true"],
    ],
  ])(
    "the id and the buttons of the window that ends a stream are in sight %s",
    async (_, given, expected) => {
      const page = await openPage("terminate", {
        storage,
        allowed,
        language,
        answers: [given ?? "later"],
        query: "?id=0d9f3a52-7a55-4c0e-9a0e-1f6a2b1c7d88",
        // 440 × 420 with the browser's own bar taken off.
        viewport: { width: 220, height: 184 },
      });
      if (given !== undefined) {
        await page.click("#end");
        await page.locator("#outcome").waitFor();
      }
      expect(await seen(page)).toEqual(expected);
      expect(await violationsOf(page)).toEqual([]);
    },
  );
});
