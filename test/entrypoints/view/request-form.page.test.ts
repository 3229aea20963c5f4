import { expect, test } from "vitest";
import {
  account,
  allowed,
  focused,
  recordOf,
  unfold,
  usePages,
} from "../../support/extension/pages/use-pages.ts";

const openPage = usePages();

test("profiles are added and removed by keyboard, with the focus kept where the person is", async () => {
  const fields = { profiles: [{ name: "720p" }, { name: "360p" }], further: {} };
  const settings = { ...account.settings, fields };
  const page = await openPage("options", { storage: { ...account, settings }, allowed });
  await page.getByRole("button", { name: "Save" }).waitFor();
  await unfold(page);
  await page.locator("#profiles-2-name").waitFor();
  await page.focus("#profiles-add");
  await page.keyboard.press("Enter");
  expect(await focused(page)).toBe("profiles-3-name");
  await page.keyboard.type("240p");
  await page.keyboard.press("Shift+Tab");
  const name = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
  for (const number of [3, 2, 1]) {
    expect(await name()).toBe(`Remove profile ${number}`);
    await page.keyboard.press("Enter");
  }
  expect(await focused(page)).toBe("profiles-add");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText("Saved", { exact: true }).waitFor();
  expect((await recordOf(page)).storage).not.toHaveProperty("settings.fields.profiles");
});
