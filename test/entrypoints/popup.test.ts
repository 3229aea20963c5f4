import { describe, expect, test } from "vitest";
import { violationsOf } from "./accessibility.ts";
import { asset, half, makeJob, states } from "./pages/jobs.ts";
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

  describe.each(["light", "dark"])("%s", (scheme) => {
    const dark = scheme === "dark";

    test("has no axe violations in any state", async () => {
      const jobs = Object.values(states).flatMap((make) => make());
      // Rows further down are only laid out when they are scrolled to.
      for (let first = 0; first < jobs.length; first += 12) {
        await popup.open({ jobs: jobs.slice(first, first + 12), dark });
        await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
        expect(await violationsOf(popup.page)).toEqual([]);
      }
    }, 180_000);

    test("has no axe violations on the first run, in a tab, with an open form, mistakes and a question", async () => {
      await popup.open({ token: "", dark });
      expect(await violationsOf(popup.page)).toEqual([]);
      await popup.open({
        jobs: [...(states.draft?.() ?? []), ...(states.uploading?.() ?? [])],
        query: "?tab=7",
        dark,
      });
      await button("Cancel").click();
      await popup.page.getByText("More", { exact: true }).click();
      await button("Add a profile").click();
      await popup.page.getByLabel("Width").fill("wide");
      await popup.page.getByLabel("Webhook context").fill("plan: gold");
      await button("Start").click();
      await popup.page.getByText("Give a whole number.").waitFor();
      expect(await violationsOf(popup.page)).toEqual([]);
    }, 120_000);
  });
});
