import { expect, test } from "vitest";
import { openList } from "../../../entrypoints/background/list-window.ts";
import { stubWorker } from "../../support/extension/stub-worker.ts";

test("the list opens in a window of its own, at a row or with why a video was refused", async () => {
  const { calls } = stubWorker();
  for (const query of [{}, { job: "job 1" }, { refused: "gone" }]) await openList(query);
  const window = { type: "popup", width: 460, height: 600 };
  const urls = ["?tab=", "?tab=&job=job+1", "?tab=&refused=gone"];
  expect(calls).toEqual(
    urls.map((url) => ["windows.create", { ...window, url: `chrome-extension://upcut/popup.html${url}` }]),
  );
});
