import { afterEach, expect, test, vi } from "vitest";
import { DEFAULT_SETTINGS, readSettings } from "../../entrypoints/shared/settings.ts";

afterEach(() => void vi.unstubAllGlobals());

/** Gives this process a storage that holds settings. */
function store(settings: unknown): void {
  vi.stubGlobal("chrome", { storage: { local: { get: async () => ({ settings }) } } });
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
