/** A person with a keyboard alone, who must always see where they are. */
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** What has the focus, as a person sees it. */
export interface Stop {
  /** What it is called. */
  name: string;
  /** Where it is on the page, in CSS pixels: its middle, and its height. */
  x: number;
  y: number;
  height: number;
}

export interface Keys {
  /** Presses keys one after the other, and says where that leads. */
  press(...keys: string[]): Promise<Stop>;
  /** Presses Tab until something of this name has the focus. */
  reach(name: string): Promise<Stop>;
  type(text: string): Promise<void>;
  /** Begins again before the first stop. */
  toStart(): Promise<void>;
  /** Every stop from the first to the last one. */
  walk(): Promise<Stop[]>;
}

/** More than any page has. */
const MOST_STOPS = 200;

export function keysOn(page: Page): Keys {
  async function press(...keys: string[]): Promise<Stop> {
    for (const key of keys) await page.keyboard.press(key);
    return await focusOf(page);
  }

  async function toStart(): Promise<void> {
    await page.evaluate(() => {
      const { body } = document;
      body.tabIndex = -1;
      body.focus();
      body.removeAttribute("tabindex");
    });
  }

  return {
    press,
    toStart,
    async reach(name) {
      const passed: string[] = [];
      while (passed.length < MOST_STOPS) {
        const stop = await press("Tab");
        if (stop.name === name) return stop;
        passed.push(stop.name);
      }
      throw new Error(`Tab never leads to "${name}", but to: ${[...new Set(passed)].join(", ")}`);
    },
    async type(text) {
      await page.keyboard.type(text);
    },
    async walk() {
      const stops: Stop[] = [];
      await toStart();
      while (stops.length < MOST_STOPS) {
        await page.keyboard.press("Tab");
        const place = await page.evaluate(() => {
          const { activeElement, body } = document;
          const marked = globalThis as { firstStop?: Element | null };
          marked.firstStop ??= activeElement;
          return { isOut: activeElement === body, isFirst: activeElement === marked.firstStop };
        });
        // Behind the last one the browser's own controls come, or the first one again.
        if (place.isOut || (place.isFirst && stops.length > 0)) {
          await page.evaluate(() => Object.assign(globalThis, { firstStop: undefined }));
          return stops;
        }
        stops.push(await focusOf(page));
      }
      throw new Error("the stops never come to an end");
    },
  };
}

/** Waits while the focus is on nothing, out of sight, or not to be seen: what was pressed may still be under way. */
async function focusOf(page: Page): Promise<Stop> {
  const read = () =>
    page.evaluate(() => {
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
  let stop: Stop | string = "";
  const isSeen = async () => {
    stop = await read();
    return stop;
  };
  await expect.poll(isSeen).toHaveProperty("name");
  return stop as unknown as Stop;
}

/** Stops that lead above or in front of themselves: whoever follows with their eyes has to jump back. */
export function jumpsBack(stops: Stop[], direction: "ltr" | "rtl" = "ltr"): string[] {
  return stops.flatMap((stop, place) => {
    const before = stops[place - 1];
    if (before === undefined) return [];
    const isBeside = Math.abs(stop.y - before.y) < Math.max(stop.height, before.height) / 2;
    const isBehind = direction === "ltr" ? stop.x > before.x : stop.x < before.x;
    return (isBeside ? isBehind : stop.y > before.y) ? [] : [`${before.name} → ${stop.name}`];
  });
}
