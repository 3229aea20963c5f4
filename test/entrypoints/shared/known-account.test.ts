/** An account is told apart and named by what gives its token to nobody. */
import { expect, test } from "vitest";
import { knownAccount } from "../../../entrypoints/shared/known-account.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../../entrypoints/shared/settings.ts";

const known = (token: string, settings: Partial<Settings> = {}) =>
  knownAccount({ settings: { ...DEFAULT_SETTINGS, address: "https://video.example/", ...settings }, token });

test("an account has the service's host, the name that it was given, and the end of its token", async () => {
  const token = "tok-5c1e9b7ax7Qf";
  const account = await known(token);
  expect(account).toMatchObject({ name: "video.example", ending: "…x7Qf" });
  expect((await known(token, { accountName: "Video team" }))?.name).toBe("Video team · video.example");
  expect(JSON.stringify(account)).not.toContain(token);
});

test("a token at an address is one account, under any name", async () => {
  const ids = await Promise.all([
    known("tok-1"),
    known("tok-1", { accountName: "Team" }),
    known("tok-2"),
    known("tok-1", { address: "https://other.example/" }),
  ]).then((all) => all.map((each) => each?.id));
  expect(new Set(ids).size).toBe(3);
  expect(ids[0]).toBe(ids[1]);
});

test("of a short token nothing is shown, and without one there is no account", async () => {
  expect((await known("abc1234"))?.ending).toMatch(/^#[0-9a-f]{4}$/);
  expect(await known("")).toBe(undefined);
  expect(await known("tok-1", { address: "" })).toBe(undefined);
});
