import { expect, test } from "vitest";
import { makeJob } from "../../support/extension/pages/jobs.ts";
import { hasFocus } from "../../support/extension/pages/popup-actions.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { alert, button, expectAsks, paste } = popup;

test("a link that is pasted anywhere on the page is taken, and its host asked for within that click", async () => {
  await popup.open({ jobs: [makeJob("draft")] });
  await button("Edit").click();
  // What is pasted into another field is that field's.
  await paste("https://cdn.example/other.mp4", "input[id$=-name]");
  await paste("  https://cdn.example/videos/a%20video.mp4?signature=s#t=1 ");
  await expectAsks().toMatchObject([
    {
      type: "addresses",
      videos: [{ address: "https://cdn.example/videos/a%20video.mp4?signature=s", title: "a video.mp4" }],
    },
  ]);
  expect(await popup.calls()).toEqual(["permission https://cdn.example/*"]);
});

test("a link that is typed is taken, and what is none is refused before anything is handed over", async () => {
  await popup.open();
  const field = popup.page.getByLabel("Link to a video");
  await button("Paste a link").click();
  expect(await hasFocus(field)).toBe(true);
  await field.fill("file:///home/me/video.mp4");
  await field.press("Enter");
  await alert("Choose the file instead").waitFor();
  await paste("not a link");
  await alert("This is not a link").waitFor();
  expect(await field.inputValue()).toBe("not a link");
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  expect(await popup.asks()).toEqual([]);
  await field.fill("http://cdn.example/a.mp4");
  expect(await popup.page.getByText("This is not a link").count()).toBe(0);
  expect(await field.getAttribute("aria-invalid")).toBeNull();
  await button("Add").click();
  await expectAsks().toMatchObject([{ videos: [{ title: "a.mp4" }] }]);
  expect(await field.count()).toBe(0);
});

test("a link to a page is told to be one before anything is asked for, and opened by a click", async () => {
  await popup.open();
  await paste("https://www.youtube.com/watch?v=1");
  await alert("This is a page: open it and press Upcut.").waitFor();
  expect(await button("It is a video").count()).toBe(0);
  await button("Open it").click();
  await expect.poll(() => popup.calls()).toEqual(["tab https://www.youtube.com/watch?v=1"]);
  expect(await popup.asks()).toEqual([]);
  // The person knows better.
  await paste("https://cdn.example/download?id=7");
  await button("It is a video").click();
  await expectAsks().toMatchObject([{ videos: [{ address: "https://cdn.example/download?id=7" }] }]);
});
