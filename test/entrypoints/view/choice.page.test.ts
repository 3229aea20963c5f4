import { expect, test } from "vitest";
import { account, unfold, usePages } from "../../support/extension/pages/use-pages.ts";

const open = usePages();

test("a box is described by its hint where it has one, and else all of it is to be clicked", async () => {
  const page = await open("options", { storage: account });
  await page.locator(".check input").first().waitFor({ state: "attached" });
  await unfold(page);
  const checks = await page.locator(".check").evaluateAll((all) =>
    all.map((check) => {
      const input = check.querySelector("input");
      const hint = check.querySelector(".hint");
      const describedBy = input?.getAttribute("aria-describedby") ?? undefined;
      return {
        tag: check.localName,
        type: input?.type,
        isNamed: (input?.name ?? "") !== "",
        isLabelled: input?.labels?.length === 1 && input.labels[0]?.htmlFor === input.id,
        text: input?.labels?.[0]?.textContent?.trim() ?? "",
        isDescribed: describedBy !== undefined && hint?.id === describedBy && hint.textContent !== "",
        hasHint: hint !== null,
      };
    }),
  );
  expect(new Set(checks.map(({ tag }) => tag))).toEqual(new Set(["label", "div"]));
  for (const check of checks) {
    const isHinted = check.tag === "div";
    expect(check).toMatchObject({ isLabelled: true, isDescribed: isHinted, hasHint: isHinted });
    expect(check.text).not.toBe("");
    expect(check.isNamed).toBe(check.type === "radio");
  }
});

test("one of several is chosen at a time", async () => {
  const page = await open("options", { storage: account });
  await page.locator(".check input").first().waitFor({ state: "attached" });
  await unfold(page);
  const choice = page.locator("fieldset.choices").first();
  const chosen = () =>
    choice.locator("input").evaluateAll((all) => all.map((each) => (each as HTMLInputElement).checked));
  const count = await choice.locator("input").count();
  for (let at = count - 1; at >= 0; at--) {
    await choice.locator("input").nth(at).click();
    await expect.poll(chosen).toEqual(Array.from({ length: count }, (_, each) => each === at));
  }
  expect(await choice.locator("legend").innerText()).not.toBe("");
});
