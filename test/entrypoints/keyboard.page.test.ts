/** The pages with a keyboard alone: every stop is seen, in the order of the eye. What keys do is tested with each part. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { found, frame } from "../support/extension/pages/findings.ts";
import { asset, failure, half, makeJob } from "../support/extension/pages/jobs.ts";
import { account, allowed, unfold, usePages, usePopup } from "../support/extension/pages/use-pages.ts";

/** What has the focus, as a person sees it. */
interface Stop {
  name: string;
  /** Where it is on the page, in CSS pixels: its middle, and its height. */
  x: number;
  y: number;
  height: number;
}

const MOST_STOPS = 200;

/** Every stop of the Tab key, from the first to the last one. */
async function walk(page: Page): Promise<Stop[]> {
  const stops: Stop[] = [];
  await page.evaluate(() => {
    const { body } = document;
    body.tabIndex = -1;
    body.focus();
    body.removeAttribute("tabindex");
  });
  while (stops.length < MOST_STOPS) {
    await page.keyboard.press("Tab");
    const isOver = await page.evaluate(() => {
      const { activeElement, body } = document;
      const marked = globalThis as { firstStop?: Element | null };
      const isFirst = activeElement === marked.firstStop;
      marked.firstStop ??= activeElement;
      return activeElement === body || isFirst;
    });
    // Behind the last one the browser's own controls come, or the first one again.
    if (isOver) return stops;
    stops.push(await focusOf(page));
  }
  throw new Error("the stops never come to an end");
}

/** Waits while the focus is on nothing, out of sight, or not to be seen. */
async function focusOf(page: Page): Promise<Stop> {
  let stop: Stop | string = "";
  const look = async () => {
    stop = await page.evaluate(() => {
      const { activeElement } = document;
      if (!(activeElement instanceof HTMLElement) || activeElement === document.body) return "is lost";
      const { left, top, width, height } = activeElement.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + Math.min(height, innerHeight) / 2];
      const label = (activeElement as HTMLInputElement).labels?.[0]?.innerText;
      const [name = ""] = (activeElement.ariaLabel ?? label ?? activeElement.innerText).trim().split("\n");
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(activeElement);
      const isRinged = outlineStyle === "solid" && Number.parseFloat(outlineWidth) >= 2;
      const found = document.elementFromPoint(x, y);
      const isSeen = found !== null && (activeElement.contains(found) || found.contains(activeElement));
      if (!isSeen) return `is on "${name}", which is out of sight`;
      if (!isRinged || outlineColor === "transparent") return `is not to be seen on "${name}"`;
      return { name, x, y: y + scrollY, height };
    });
    return stop;
  };
  await expect.poll(look).toHaveProperty("name");
  return stop as unknown as Stop;
}

/** Stops that lead above or in front of themselves: whoever follows with their eyes has to jump back. */
function jumpsBack(stops: Stop[], direction: "ltr" | "rtl"): string[] {
  return stops.flatMap((stop, place) => {
    const before = stops[place - 1];
    if (before === undefined) return [];
    const isBeside = Math.abs(stop.y - before.y) < Math.max(stop.height, before.height) / 2;
    const isBehind = direction === "ltr" ? stop.x > before.x : stop.x < before.x;
    return (isBeside ? isBehind : stop.y > before.y) ? [] : [`${before.name} → ${stop.name}`];
  });
}

/** Runs in the page. */
function countControls(): number {
  const all = document.querySelectorAll<HTMLButtonElement>(
    "a[href], button, input, select, textarea, summary",
  );
  return [...all].filter((each) => each.checkVisibility() && !each.disabled && each.tabIndex >= 0).length;
}

describe.each([
  ["en", "ltr", ""],
  ["ar", "rtl", "?tab=7"],
] as const)("in the language %s (%s) stops lead on as the eye goes, and each is seen", (...row) => {
  const [language, direction, query] = row;
  const popup = usePopup();
  const openPage = usePages();

  test(`popup${query}`, async () => {
    const drafts = ["One", "Two"].map((name) => {
      return makeJob("draft", { fields: { ...makeJob("draft").fields, name } });
    });
    const jobs = [
      makeJob("done", { asset }),
      makeJob("failed", { error: failure("unauthorized") }),
      makeJob("queued"),
      makeJob("uploading", { asset, progress: half }),
    ];
    const other = found({ address: "https://a.example/b.mp4", title: "Another day" });
    await popup.open({ jobs: [...jobs, ...drafts], found: [frame([found(), other])], language, query });
    await popup.page.locator("#page-videos-line").click();
    await popup.page.locator("#page-videos-list input").nth(1).waitFor();
    const stops = await walk(popup.page);
    expect(jumpsBack(stops, direction)).toEqual([]);
    // Nothing is left out that can be pressed or filled in.
    expect(stops).toHaveLength(await popup.page.evaluate(countControls));
  });

  test.each([
    ["options", 29, "#change"],
    ["terminate", 3, "#id"],
  ] as const)("%s: %s", async (name, count, shown) => {
    const page = await openPage(name, { storage: account, allowed, language });
    await page.locator(shown).waitFor();
    await unfold(page);
    const stops = await walk(page);
    expect(jumpsBack(stops, direction)).toEqual([]);
    expect(stops.map(({ name }) => name)).toHaveLength(count);
  });
});
