import { expect, test } from "vitest";
import {
  isAccountSet,
  playbackPage,
  refusedSettings,
  reviewFirst,
  showSettings,
} from "../../../entrypoints/popup/page-settings.ts";
import { stubWorker } from "../../support/extension/stub-worker.ts";

test("showSettings() shows what is stored by then", async () => {
  const { stored } = stubWorker();
  expect(isAccountSet.value).toBe(undefined);
  expect([playbackPage.value, reviewFirst.value, refusedSettings.value]).toEqual(["", false, []]);
  await showSettings();
  expect(isAccountSet.value).toBe(false);
  const page = "https://play.example/{playbackId}";
  const settings = { address: "https://video.example", playbackPage: page, reviewFirst: true, fields: 7 };
  Object.assign(stored.local, { settings, token: "tok-1" });
  await showSettings();
  expect([isAccountSet.value, playbackPage.value, reviewFirst.value]).toEqual([true, page, true]);
  expect(refusedSettings.value).toHaveLength(1);
});
