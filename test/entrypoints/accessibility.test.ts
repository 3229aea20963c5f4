import { describe, expect, test } from "vitest";
import { DEFAULT_SETTINGS } from "../../entrypoints/shared/settings.ts";
import { violationsOf } from "./accessibility.ts";
import type { Answer } from "./pages/fake-chrome.ts";
import { usePages } from "./pages/use-pages.ts";

const storage = { settings: { ...DEFAULT_SETTINGS, address: "https://video.example" }, token: "a-token" };
const allowed = ["https://video.example/*"];
const openPage = usePages();

const refused = (code: string, more = {}): Answer =>
  ({ error: { name: "ServiceError", code, message: "Cannot: why", retryable: false, ...more } }) as Answer;

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  test.each([
    ["ended", { ended: true } as Answer],
    ["not found", refused("not-found", { details: ["stream not found"] })],
    ["refused", refused("unauthorized")],
    ["too soon", refused("rate-limited", { retryAfter: 30 })],
    ["not reached", refused("unreachable")],
    ["not known", "died" as const],
    ["a wrong address", refused("wrong-address")],
  ])("the terminate window has no axe violations when the answer is: %s", async (_, given) => {
    const page = await openPage("terminate", { storage, allowed, answers: [given], query: "?id=a-stream" });
    await page.emulateMedia({ colorScheme });
    expect(await violationsOf(page)).toEqual([]);
    await page.click("#end");
    await page.locator("#outcome").waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  test("the options have no axe violations at first, set up, with rows, and with mistakes", async () => {
    const first = await openPage("options");
    await first.emulateMedia({ colorScheme });
    expect(await violationsOf(first)).toEqual([]);
    await first.getByRole("button", { name: "Save" }).click();
    expect(await first.locator("[aria-invalid=true]").count()).toBeGreaterThan(0);
    expect(await violationsOf(first)).toEqual([]);

    const page = await openPage("options", { storage, allowed: [] });
    await page.emulateMedia({ colorScheme });
    await page.getByRole("button", { name: "Add a profile" }).click();
    await page.getByLabel("Width").fill("wide");
    await page.getByRole("button", { name: "Save" }).click();
    expect(await violationsOf(page)).toEqual([]);
  });
});
