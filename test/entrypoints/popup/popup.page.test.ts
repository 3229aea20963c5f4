import { expect, test } from "vitest";
import { found, frame, pagesFound } from "../../support/extension/pages/findings.ts";
import { asset, half, makeJob } from "../../support/extension/pages/jobs.ts";
import { recordOf, usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button, row, store } = popup;

test.each([
  ["the popup", "", 380],
  ["the narrowest side panel", "?panel", 240],
  ["a tab", "?tab=7", 320],
])("the page has one scroll bar in %s, however long its lists are", async (_, query, width) => {
  const videos = Array.from({ length: 30 }, (_, at) => found({ address: `https://a.example/${at}.mp4` }));
  await popup.open({
    query,
    jobs: Array.from({ length: 30 }, () => makeJob("done", { asset })),
    found: [frame([...videos, ...(pagesFound.loops?.[0]?.videos ?? [])])],
  });
  await popup.page.setViewportSize({ width, height: 600 });
  await popup.page.locator("#page-videos-line").click();
  await popup.page.locator("#background-loops-title").click();
  await popup.page.locator("#page-videos-list > li").nth(29).waitFor();
  const scrolling = await popup.page.evaluate(() =>
    [...document.querySelectorAll("*")].flatMap((each) => {
      const { overflowX, overflowY } = getComputedStyle(each);
      const isRoot = each === document.documentElement;
      const aside = each.scrollWidth > each.clientWidth && (isRoot || /auto|scroll/.test(overflowX));
      const down = each.scrollHeight > each.clientHeight && (isRoot || /auto|scroll/.test(overflowY));
      return [aside && "aside", down && "down"].flatMap((way) =>
        way ? `${each.tagName}#${each.id} ${way}` : [],
      );
    }),
  );
  expect(scrolling).toEqual(["HTML# down"]);
});

test("the page connects an account at first, and gives way to the list as soon as it is connected", async () => {
  await popup.open({ token: "" });
  await popup.page.getByLabel("Token", { exact: true }).waitFor();
  expect(await button("Choose videos").isVisible()).toBe(false);
  expect(await popup.page.locator("#first-run :is(input, button)").count()).toBe(4);
  await popup.page.getByLabel("Token", { exact: true }).fill("tok-2");
  await button("Connect").click();
  const stored = async () => (await recordOf(popup.page)).storage;
  await expect.poll(stored).toMatchObject({ token: "tok-2" });
  await store({ isUnchecked: false });
  await button("Choose videos").waitFor();
  expect(await popup.page.getByText("No uploads yet").isVisible()).toBe(true);
  expect(await popup.page.getByText("Connect your account").isVisible()).toBe(false);
  const link = popup.page.getByRole("link", { name: "Open in tab" });
  await expect.poll(() => link.getAttribute("href")).toBe("?tab=7");
});

test("the page has no scroll bars and clips no text in the common case", async () => {
  await popup.open({
    jobs: [makeJob("done", { asset }), makeJob("uploading", { asset, progress: half })],
  });
  await row("holiday-2024").first().waitFor();
  const overflow = await popup.page.evaluate(() =>
    [document.documentElement, document.getElementById("list")].flatMap(
      (each) => each && [each.scrollWidth - each.clientWidth, each.scrollHeight - each.clientHeight],
    ),
  );
  expect(overflow).toEqual([0, 0, 0, 0]);
});

test("the page has no target smaller than 24 pixels", async () => {
  const kinds = ["draft", "queued", "uploading", "failed", "done", "cancelled"] as const;
  await popup.open({ jobs: kinds.map((state) => makeJob(state, { asset })), query: "?tab=7" });
  await button("More").last().click();
  await button("Edit").first().click();
  await popup.page.locator("#history summary").click();
  const small = await popup.page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("button, a, summary, label.check, input, select")]
      .filter((each) => each.checkVisibility() && !each.matches("label input"))
      .flatMap((each) => {
        const { width, height } = each.getBoundingClientRect();
        return width < 24 || height < 24 ? [`${each.outerHTML.slice(0, 80)} ${width} ${height}`] : [];
      }),
  );
  expect(small).toEqual([]);
});
