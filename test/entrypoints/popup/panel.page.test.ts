import { expect, test } from "vitest";
import { found, frame } from "../../support/extension/pages/findings.ts";
import { recordOf, usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button, focused } = popup;

type Events = { tabEvents: Record<"activated" | "updated", { fire(...all: unknown[]): void }> };
const fire = (event: "activated" | "updated", ...all: unknown[]) =>
  popup.page.evaluate(([event, all]) => (globalThis as unknown as Events).tabEvents[event].fire(...all), [
    event,
    all,
  ] as const);

test("the side panel is opened from the popup, in whose place it is", async () => {
  await popup.open();
  await button("Open in the side panel").click();
  await expect.poll(() => popup.calls()).toEqual(["panel 1"]);
  await expect.poll(async () => (await recordOf(popup.page)).closed).toBe(1);
});

test("the side panel looks for the videos of the tab in front, also of the next one, and takes no focus", async () => {
  await popup.open({ query: "?panel", found: [frame([found()])] });
  await popup.page.locator("#page-videos-line").click();
  await popup.page.getByRole("checkbox", { name: "Launch day" }).waitFor();
  await button("Paste a link").focus();
  const looks = () => popup.page.evaluate(() => (globalThis as unknown as { looks: number[] }).looks);
  await popup.page.evaluate(() => {
    const looks: number[] = [];
    Object.assign(globalThis, { looks });
    const { executeScript } = chrome.scripting;
    chrome.scripting.executeScript = ((injection: chrome.scripting.ScriptInjection<[], unknown>) => {
      looks.push(injection.target.tabId);
      return executeScript(injection);
    }) as typeof executeScript;
  });
  await fire("activated", { tabId: 8, windowId: 1 });
  await fire("activated", { tabId: 9, windowId: 2 });
  await fire("updated", 8, { status: "complete" }, { active: true, windowId: 1 });
  await fire("updated", 8, { status: "loading" }, { active: true, windowId: 1 });
  await fire("updated", 10, { status: "complete" }, { active: false, windowId: 1 });
  await button("Look again").click();
  await expect.poll(looks).toEqual([8, 8, 8]);
  await popup.page.getByRole("checkbox", { name: "Launch day" }).focus();
  await fire("activated", { tabId: 7, windowId: 1 });
  await expect.poll(focused).toBe("Look again");
  // The panel says what lets it look where it may not.
  await popup.show({ found: "closed" });
  await button("Look again").click();
  await popup.page.getByText("press the Upcut button in the toolbar").waitFor();
  // The click opens a popup, which the uploads answer.
  await popup.show({ found: [frame([found()])] });
  await popup.tell({ type: "ready" });
  await popup.page.locator("#page-videos-line").waitFor();
});
