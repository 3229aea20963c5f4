import { expect, test } from "vitest";
import { LANGUAGES } from "./catalogue.ts";
import { found, frame } from "./pages/findings.ts";
import { states } from "./pages/jobs.ts";
import { usePopup } from "./pages/use-pages.ts";

const popup = usePopup();

test.each(LANGUAGES)(
  "in the language %s hints fit, long names lose their ends, and hints have its direction",
  async (language) => {
    await popup.open({ jobs: states["uploading-long-name"]?.() ?? [], language });
    const hints = await popup.page.locator("input[placeholder]:visible").evaluateAll((fields) =>
      fields.map((field) => {
        const { placeholder, clientWidth } = field as HTMLInputElement;
        const { font, paddingLeft, paddingRight } = getComputedStyle(field);
        const pen = document.createElement("canvas").getContext("2d");
        if (pen === null) throw new Error("no canvas");
        pen.font = font;
        const room = clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
        return { placeholder, fits: pen.measureText(placeholder).width <= room };
      }),
    );
    expect(hints).not.toEqual([]);
    expect(hints.filter(({ fits }) => !fits)).toEqual([]);
    const isBegun = await popup.page.locator("#list h3").evaluate((heading) => {
      const texts = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT);
      let first = texts.nextNode();
      while (first?.textContent?.trim() === "") first = texts.nextNode();
      if (!first) return false;
      const letter = document.createRange();
      letter.setStart(first, 0);
      letter.setEnd(first, 1);
      const { left, right } = letter.getBoundingClientRect();
      const box = heading.getBoundingClientRect();
      return left >= box.left - 1 && right <= box.right + 1;
    });
    expect(isBegun).toBe(true);
    const field = popup.page.locator("#link-form input");
    const written = () => field.evaluate((element) => getComputedStyle(element).direction);
    expect(await written()).toBe(language === "ar" ? "rtl" : "ltr");
    await field.fill("https://videos.example/a.mp4");
    expect(await written()).toBe("ltr");
  },
);

test("hosts and facts keep their own direction in a line from right to left", async () => {
  await popup.open({
    jobs: states["needs-permission-host"]?.() ?? [],
    found: [frame([found()])],
    language: "ar",
  });
  await popup.page.locator("#list bdi", { hasText: "upload.video.example" }).waitFor();
  const figures = popup.page.locator("#page-videos-list .facts bdi");
  await expect.poll(() => figures.allTextContents()).toEqual(["1:33", "1920 × 1080", "48.2 م.ب"]);
});
