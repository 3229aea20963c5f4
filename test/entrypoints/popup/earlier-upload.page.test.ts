import { expect, test } from "vitest";
import { makeJob } from "../../support/extension/pages/jobs.ts";
import { fillHistory } from "../../support/extension/pages/popup.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button } = popup;

test("the link of a video that was uploaded before is copied, where the service gave one", async () => {
  const [playbackUrl, endedAt] = ["https://play.example/9c81", Date.now() - 60_000];
  const facts = { name: "holiday", assetId: "asset-1", digests: [] };
  await popup.open();
  await fillHistory(popup.page, [
    { ...facts, id: "one", endedAt, playbackUrl },
    { ...facts, id: "two", endedAt: endedAt - 1 },
  ]);
  const drafts = [endedAt, endedAt - 1].map((uploadedBefore) => makeJob("draft", { uploadedBefore }));
  await popup.tell({ type: "changed", jobs: drafts });
  await button("Copy link").click();
  await expect.poll(() => popup.page.evaluate(() => navigator.clipboard.readText())).toBe(playbackUrl);
  expect(await button("Upload again").count()).toBe(2);
  expect(await button(/^(Copy link|Copied)$/).count()).toBe(1);
});
