import { expect, test } from "vitest";
import { faultsFixedBy } from "../../../entrypoints/background/account.ts";
import { DEFAULT_SETTINGS } from "../../../entrypoints/shared/settings.ts";

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
  [[], "the paths that it had anyway", change({ paths: undefined }, { paths: DEFAULT_SETTINGS.paths })],
  [[], "anything else", { "upload-hosts": { newValue: {} } }],
])("faultsFixedBy() gives %j for %s", (expected, _, changes) => {
  expect(faultsFixedBy(changes)).toEqual(expected);
});

function change(oldValue: object, newValue: object) {
  const whole = { address: "https://a.example", paths: { requestUpload: "", terminate: "" } };
  return { settings: { oldValue: { ...whole, ...oldValue }, newValue: { ...whole, ...newValue } } };
}
