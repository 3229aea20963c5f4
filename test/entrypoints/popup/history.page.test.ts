import { expect, test } from "vitest";
import { fillHistory } from "../../support/extension/pages/popup.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();

test("an earlier upload is watched from the history, where its address is known", async () => {
  const facts = { name: "holiday", assetId: "asset-1", digests: [], endedAt: 1 };
  await popup.open({ query: "?tab=7" });
  await fillHistory(popup.page, [
    { ...facts, id: "one", playbackUrl: "https://play.example/9c81" },
    { ...facts, id: "two" },
  ]);
  await popup.page.locator("#history summary").click();
  const past = popup.page.locator("#history-list > li");
  await expect.poll(() => past.count()).toBe(2);
  const links = past.getByRole("link", { name: "Watch" });
  expect(await links.evaluateAll((all) => all.map((each) => each.getAttribute("href")))).toEqual([
    "https://play.example/9c81",
  ]);
});
