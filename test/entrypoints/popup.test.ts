import { describe, expect, test } from "vitest";
import { asset, half, makeJob } from "./pages/jobs.ts";
import { actionsOn } from "./pages/popup-actions.ts";
import { usePopup } from "./pages/use-pages.ts";

const popup = usePopup();
const { button, row } = actionsOn(popup);

describe("the first run", () => {
  test("leads to the options, and gives way to the list as soon as they are filled", async () => {
    await popup.open({ token: "" });
    await expect.poll(() => button("Choose videos").isVisible()).toBe(false);
    await button("Open options").click();
    expect(await popup.calls()).toEqual(["options"]);
    await popup.page.evaluate(() =>
      (globalThis as unknown as { store(more: object): void }).store({ token: "set" }),
    );
    await button("Choose videos").waitFor();
    expect(await popup.page.getByText("No uploads yet").isVisible()).toBe(true);
    expect(await popup.page.getByText("Connect your account").isVisible()).toBe(false);
  });
});

describe("the page", () => {
  test("opens in a tab that knows the tab it came from", async () => {
    await popup.open();
    await expect
      .poll(() => popup.page.getByRole("link", { name: "Open in a tab" }).getAttribute("href"))
      .toBe("?tab=7");
  });

  test.each(["light", "dark"])(
    "has no scroll bars and clips no text in the common case (%s)",
    async (scheme) => {
      await popup.open({
        jobs: [makeJob("done", { asset }), makeJob("uploading", { asset, progress: half })],
        dark: scheme === "dark",
      });
      await row("holiday-2024").first().waitFor();
      const overflow = await popup.page.evaluate(() =>
        [document.documentElement, document.getElementById("list")].map(
          (each) => each && [each.scrollWidth - each.clientWidth, each.scrollHeight - each.clientHeight],
        ),
      );
      expect(overflow).toEqual([
        [0, 0],
        [0, 0],
      ]);
    },
  );
});
