/** How much there is to read and to press: few words, and one button that is filled. */
import { expect, test } from "vitest";
import type { Job } from "../../../entrypoints/shared/job.ts";
import { asset, failure, half, makeJob } from "../../support/extension/pages/jobs.ts";
import type { PopupOptions } from "../../support/extension/pages/popup.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const states = (...all: [Job["state"], Partial<Job>?][]): Job[] =>
  all.map(([state, more]) => makeJob(state, more));
const error = failure("interrupted", { retryable: true });
const now = Date.now();
/** New uploads, in a page whose clock stands still before they start. */
const inGrace = (count: number): PopupOptions => ({
  clock: now,
  jobs: Array.from({ length: count }, () => makeJob("queued", { startsAt: now + 4000 })),
});
const cases: [scene: string, options: () => PopupOptions, words: number, filled: string[]][] = [
  ["the first run", () => ({ token: "" }), 90, ["Connect"]],
  ["an empty list", () => ({}), 25, ["Choose videos"]],
  ["a new upload", () => inGrace(1), 30, []],
  ["thirty new uploads", () => inGrace(30), 40, []],
  ["an upload", () => ({ jobs: states(["uploading", { asset, progress: half }]) }), 30, []],
  ["a finished one", () => ({ jobs: states(["done", { asset }]) }), 30, ["Choose videos"]],
  [
    "a mixed list",
    () => ({
      jobs: states(
        ["done", { asset }],
        ["failed", { asset, progress: half, error: failure("interrupted", { retryable: true }) }],
        ["queued"],
        ["uploading", { asset, progress: half }],
        ["draft"],
      ),
    }),
    90,
    ["Try again"],
  ],
];

test.each<[scene: string, jobs: Job[], press: string | undefined, filled: string, token?: string]>([
  ["an account is missing", states(["draft"], ["failed", { error }]), undefined, "Connect", ""],
  ["a draft that is asked about is edited", states(["draft", { uploadedBefore: 1 }]), "Edit", "Upload again"],
  ["all drafts are edited", states(["draft"], ["draft"], ["failed", { error }]), "Settings", "Apply to all"],
  [
    "failed uploads may work now",
    states(["failed", { error: failure("unauthorized"), retryOffered: true }], ["needs-file"]),
    undefined,
    "Try again",
  ],
])("one button is filled where %s", async (_, jobs, press, filled, token = "set") => {
  await popup.open({ jobs, token });
  await popup.page.locator("#list > li").first().waitFor();
  if (press !== undefined) await popup.page.getByRole("button", { name: press }).first().click();
  await expect
    .poll(() => popup.page.locator("button.main:visible").allTextContents())
    .toEqual([expect.stringContaining(filled)]);
});

test.each(cases)("%s", async (_, options, words, filled) => {
  await popup.open(options());
  await popup.page.locator("#list > li, #empty, #first-run form").first().waitFor();
  const shown = (await popup.page.locator("body").innerText()).split(/\s+/);
  expect(shown.filter((word) => /[\p{L}\p{N}]/u.test(word)).length, shown.join(" ")).toBeLessThanOrEqual(
    words,
  );
  expect(await popup.page.locator("button.main:visible").allTextContents()).toEqual(filled);
});
