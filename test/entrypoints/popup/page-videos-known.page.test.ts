import { expect, test } from "vitest";
import { addressDigests } from "../../../entrypoints/shared/source-kinds.ts";
import { found, frame } from "../../support/extension/pages/findings.ts";
import { fromPage, makeJob } from "../../support/extension/pages/jobs.ts";
import { fillHistory } from "../../support/extension/pages/popup.ts";
import { videosOn } from "../../support/extension/pages/popup-actions.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { section, box, upload, lookAgain, openWith } = videosOn(popup);
const here = (n: number) => found({ address: `https://news.example/${n}.mp4`, title: `Video ${n}` });

test("a video that was uploaded before, or is in the list, is shown so, and not ticked unless the person does", async () => {
  const listed = { ...fromPage, url: here(1).address };
  await openWith({
    found: [frame([here(1), here(2), here(3)])],
    jobs: [{ ...makeJob("queued"), source: listed }],
  });
  await fillHistory(popup.page, [
    {
      id: "past",
      name: "Video 2",
      endedAt: 1_700_000_000_000,
      assetId: "asset-2",
      digests: await addressDigests(here(2)),
    },
  ]);
  await lookAgain();
  await section().getByText("Uploaded already").waitFor();
  await section().getByText("In the list already").waitFor();
  expect(await box("Video 1").isChecked()).toBe(false);
  await box("Video 2").check();
  expect(await upload().textContent()).toBe("Upload 1 video");
});
