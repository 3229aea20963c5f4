import { expect, test } from "vitest";
import { play } from "../../support/extension/pages/fake-chrome.ts";
import { account, allowed, focused, recordOf, usePages } from "../../support/extension/pages/use-pages.ts";

const openPage = usePages();

async function openDialog() {
  const page = await openPage("options", {
    storage: account,
    allowed,
    answers: [null],
    offscreen: "answers",
  });
  await page.getByRole("button", { name: "Forget…" }).click();
  return page;
}

test("“Forget…” asks first: Escape and Cancel forget nothing, and the focus goes back", async () => {
  const page = await openDialog();
  const dialog = page.getByRole("dialog", { name: "Forget this account?" });
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Cancel");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  expect(await focused(page)).toBe("forget");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });
  const { messages, asks } = await recordOf(page);
  expect({ messages, asks }).toEqual({ messages: [], asks: [] });
});

test("“Forget…” empties the list first, then forgets token and permissions, and says so", async () => {
  const page = await openDialog();
  await page.getByRole("button", { name: "Forget", exact: true }).click();
  await expect.poll(async () => (await recordOf(page)).asks).toEqual([{ type: "clear-list" }]);
  expect(JSON.stringify((await recordOf(page)).messages)).not.toContain("forget-account");
  await play(page, "tell", { type: "removed", jobIds: [] });
  await expect
    .poll(async () => (await recordOf(page)).messages.at(-1))
    .toMatchObject({ type: "forget-account", hosts: true });
});

test("“Forget…” leaves list and permissions where that is chosen", async () => {
  const page = await openDialog();
  await page.getByLabel("The list of uploads").uncheck();
  await page.getByLabel("The permission to reach hosts").uncheck();
  await page.getByRole("button", { name: "Forget", exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const { messages, asks } = await recordOf(page);
  expect(asks).toEqual([]);
  expect(messages).toMatchObject([{ type: "forget-account", hosts: false }]);
});
