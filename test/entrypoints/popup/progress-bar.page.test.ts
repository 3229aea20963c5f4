import { expect, test } from "vitest";
import { asset, makeJob } from "../../support/extension/pages/jobs.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();

test("a bar is as long as it says, and has no value where none is known", async () => {
  const progress = { sent: 12_050_000, acknowledged: 12_050_000, speed: 1 };
  await popup.open({ jobs: [makeJob("uploading", { asset, progress }), makeJob("requesting")] });
  const bars = popup.rows().locator("progress");
  await expect.poll(() => bars.count()).toBe(2);
  const found = await bars.evaluateAll((all) =>
    (all as HTMLProgressElement[]).map((bar) => [
      bar.max,
      bar.hasAttribute("value") && bar.value,
      bar.style.getPropertyValue("--done"),
      bar.getAttribute("aria-label") !== "",
    ]),
  );
  expect(found).toContainEqual([1, 0.25, "0.25", true]);
  expect(found).toContainEqual([1, false, "", true]);
});
