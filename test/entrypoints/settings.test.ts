import { afterEach, expect, test } from "vitest";
import { faultsFixedBy } from "../../entrypoints/background/account-change.ts";
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
])("new uploads start after a grace where an earlier version %s", async (_, old) => {
  store({ address: "https://video.example", ...old });
  expect(await readSettings()).toEqual({ ...DEFAULT_SETTINGS, address: "https://video.example" });
});

test("a review before uploading that was chosen stays", async () => {
  store({ reviewFirst: true });
  expect((await readSettings()).reviewFirst).toBe(true);
});

test.each([
  [["token"], "another token", { token: { newValue: "new", oldValue: "old" } }],
  [[], "a token that was forgotten", { token: { oldValue: "old" } }],
  [
    ["token", "address"],
    "another address",
    change({ address: "https://a.example" }, { address: "https://b.example" }),
  ],
  [
    ["token", "address"],
    "another path",
    change({ paths: { terminate: "" } }, { paths: { terminate: "/end" } }),
  ],
  [[], "another setting", change({ keepAwake: false }, { keepAwake: true })],
  [[], "anything else", { "upload-hosts": { newValue: {} } }],
])("faultsFixedBy() gives %j for %s", (expected, _, changes) => {
  expect(faultsFixedBy(changes)).toEqual(expected);
});

function change(oldValue: object, newValue: object) {
  const whole = { address: "https://a.example", paths: { requestUpload: "", terminate: "" } };
  return { settings: { oldValue: { ...whole, ...oldValue }, newValue: { ...whole, ...newValue } } };
}
