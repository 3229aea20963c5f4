/** The options and the window that ends a stream: axe once in each state, the layout in each language. */

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { looksIn, violationsOf } from "../support/extension/accessibility.ts";
import { languagesByRoom } from "../support/extension/catalogue.ts";
import type { Answer } from "../support/extension/pages/fake-chrome.ts";
import { account, allowed, answer, refused, unfold, usePages } from "../support/extension/pages/use-pages.ts";
import { inAll, table } from "../support/in-all.ts";

const openPage = usePages();

const unknownStream = refused("not-found", { details: ["stream not found"] });
const tooSoon = refused("rate-limited", { retryAfter: 30 });

/** Has the background answer the window that ends a stream. */
async function end(page: Page, given: Answer): Promise<void> {
  await page.reload();
  await page.click("#end");
  await answer(page, given);
  await page.locator("#outcome").waitFor();
}

inAll("the window that ends a stream has no axe violations, whatever the answer is", async () => {
  const page = await openPage("terminate", {
    storage: account,
    allowed,
    query: "?id=a-stream",
    answers: ["later"],
  });
  expect(await violationsOf(page), "before").toEqual([]);
  await page.click("#end");
  expect(await violationsOf(page), "under way").toEqual([]);
  const notAllowed = { missing: { permission: "host", origin: "https://video.example" } } as const;
  for (const given of [unknownStream, notAllowed, tooSoon, { ended: true } as const]) {
    await end(page, given);
    expect(await violationsOf(page), JSON.stringify(given)).toEqual([]);
  }
  await page.reload();
  await page.fill("#id", "..");
  expect(await violationsOf(page), "a wrong id").toEqual([]);
});

describe.each(table(await languagesByRoom(), 2))("in the language %s", (language) => {
  const { fits, look } = looksIn(language);

  inAll("the options can be read while an account is connected", async () => {
    const answers: Answer[] = [
      refused("unauthorized", { details: ["[hidden: it repeats a secret]"] }),
      "later",
    ];
    const page = await openPage("options", { answers, allowed, language, offscreen: "answers" });
    const connect = page.locator(".connect [type=submit]");
    await look(page, "first");
    await connect.click();
    expect(await page.locator("[aria-invalid=true]").count()).toBe(2);
    await look(page, "nothing entered");
    await page.click(".connect > .more > summary");
    await page.fill("#address", "http://video.example");
    await fits(page, "in plain http");
    await page.fill("#address", "https://video.example");
    await page.fill("#token", "tok-1");
    await connect.click();
    await page.locator(".told").waitFor();
    await look(page, "refused", ".connect");
    await connect.click();
    await page.locator('.connect[aria-busy="true"]').waitFor();
    await look(page, "under way", ".connect");
    await answer(page, refused("forbidden"));
    await page.locator("#next").waitFor();
    await look(page, "what is next");
  });

  test("the options can be read unfolded, with rows, with mistakes and with a question", async () => {
    const page = await openPage("options", { storage: account, allowed: [], language });
    await page.locator(".notice").waitFor();
    await look(page, "set up, and the host not allowed");
    await unfold(page);
    await page.click("#profiles-add");
    await page.locator("#profiles-1-width").fill("wide");
    await page.check("#streamMenu-listed");
    await page.fill("#streamMenuPages", "dashboard.example\nno address");
    await page.fill("#path-terminate", "/stream");
    await page.click("#options [type=submit]");
    expect(await page.locator("[aria-invalid=true]").count()).toBe(3);
    await look(page, "mistakes");
    await page.setViewportSize({ width: 320, height: 640 });
    await fits(page, "mistakes in a narrow window");
    await page.click("#forget");
    await look(page, "the question before the account is forgotten", "dialog");
  });

  test("the id and the buttons of the window that ends a stream are in sight at 200 %%", async () => {
    const page = await openPage("terminate", {
      storage: account,
      allowed,
      language,
      answers: ["later"],
      query: "?id=0d9f3a52-7a55-4c0e-9a0e-1f6a2b1c7d88",
      // 440 × 420 with the browser's own bar taken off.
      viewport: { width: 220, height: 184 },
    });
    const seen = () =>
      page.evaluate(() => {
        const { clientWidth: width, clientHeight: height } = document.documentElement;
        return [...document.querySelectorAll("#id, footer > button")].map((element) => {
          const { left, right, top, bottom } = element.getBoundingClientRect();
          const [x, y] = [(left + right) / 2, (top + bottom) / 2];
          const isInside = left >= 0 && top >= 0 && right <= width && bottom <= height;
          return `${element.id} ${isInside && document.elementFromPoint(x, y) === element}`;
        });
      });
    const all = ["id true", "close true", "end true"];
    expect(await seen()).toEqual(all);
    for (const [given, expected] of [
      [{ ended: true }, all.slice(0, 2)],
      [unknownStream, all],
      [tooSoon, all],
    ] as [Answer, string[]][]) {
      await end(page, given);
      expect(await seen(), JSON.stringify(given)).toEqual(expected);
    }
  });
});
