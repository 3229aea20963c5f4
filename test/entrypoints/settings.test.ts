import { afterEach, expect, test } from "vitest";
import { DEFAULT_SETTINGS, readSettings } from "../../entrypoints/shared/settings.ts";

const before = (globalThis as { chrome?: object }).chrome;
afterEach(() => {
  Object.assign(globalThis, { chrome: before });
});

/** Gives this process a storage that holds settings. */
function store(settings: unknown): void {
  const storage = { local: { get: async () => ({ settings }) } };
  Object.assign(globalThis, { chrome: { ...before, storage } });
}

test.each([
  ["started them", { startAtOnce: true }],
  // It was stored with whatever else was saved, so it is no choice.
  ["kept drafts, as was the default", { startAtOnce: false }],
  ["knew neither", {}],
  ["is damaged", { reviewFirst: "yes" }],
])("readSettings() lets new uploads start by themselves where an earlier version %s", async (_, old) => {
  store({ address: "https://video.example", ...old });
  expect(await readSettings()).toEqual({ ...DEFAULT_SETTINGS, address: "https://video.example" });
});

test("readSettings() keeps the choice to review before uploading", async () => {
  store({ reviewFirst: true });
  expect((await readSettings()).reviewFirst).toBe(true);
});
