import { expect, test } from "vitest";
import { states } from "../../support/extension/pages/jobs.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();

test("every tool has a picture that nobody is told of, and words in its place", async () => {
  await popup.open({ jobs: states.mixed?.() ?? [] });
  await popup.page.locator(".tool").first().waitFor();
  const tools = await popup.page.locator(".tool").evaluateAll((all) =>
    all.map((tool) => {
      const [icon, path] = [tool.querySelector("svg"), tool.querySelector("path")];
      const isNamed = ["aria-label", "title"].every((name) => tool.getAttribute(name));
      const isHidden = icon?.getAttribute("aria-hidden") === "true";
      const box = icon?.getAttribute("viewBox");
      return [tool.getAttribute("type"), isNamed, isHidden, box, (path?.getTotalLength() ?? 0) > 0];
    }),
  );
  expect(tools.length).toBeGreaterThan(3);
  for (const tool of tools) expect(tool).toEqual(["button", true, true, "0 0 16 16", true]);
  const own = popup.page.locator("#open-panel");
  expect(await own.getAttribute("title")).toBe(await own.getAttribute("aria-label"));
});
