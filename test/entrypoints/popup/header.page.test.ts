import { expect, test } from "vitest";
import { recordOf, usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const NAMES: Record<string, string> = {
  "open-panel": "Open in the side panel",
  "open-in-tab": "Open in tab",
  "open-options": "Options",
};

test.each([
  ["the popup", "", ["open-panel", "open-in-tab", "open-options"], "?tab=7"],
  ["a tab", "?tab=7", ["open-options"], undefined],
])("the head of %s leads to the other places", async (_, query, ways, href) => {
  await popup.open({ query });
  const head = popup.page.locator("header#top");
  await head.locator("#open-options").waitFor();
  expect(await head.locator("h1").innerText()).toBe("Upcut");
  expect(await head.locator("h1 svg").getAttribute("aria-hidden")).toBe("true");
  expect(await head.locator("[id]").evaluateAll((all) => all.map(({ id }) => id))).toEqual(ways);
  const names = await head
    .locator("[id]")
    .evaluateAll((all) => all.map((way) => way.ariaLabel ?? way.textContent));
  expect(names).toEqual(ways.map((id) => NAMES[id]));
  if (href !== undefined) {
    const link = head.locator("#open-in-tab");
    await expect.poll(() => link.getAttribute("href")).toBe(href);
    expect(await link.getAttribute("target")).toBe("_blank");
    expect(await link.getAttribute("rel")).toBe("noreferrer");
  }
  await head.locator("#open-options").click();
  await expect.poll(async () => (await recordOf(popup.page)).calls).toContain("options");
});
