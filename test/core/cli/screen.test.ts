import { describe, expect, test, vi } from "vitest";
import { failureOf, openScreen } from "../../../core/cli/screen.ts";
import type { UploadResult } from "../../../core/upload.ts";

test.each([
  ['Cannot open "a \\"b\\".mp4": there is no such file', "there is no such file"],
  [
    "Cannot upload from http://a: it answered with text",
    "Cannot upload from http://a: it answered with text",
  ],
])("a failure has the path in place of the name: %s", (message, reason) => {
  expect(failureOf("videos/a.mp4", message)).toBe(`videos/a.mp4: ${reason}`);
});

describe("a journal that couldn't be written is told with the result", () => {
  const printed = (how: { json: boolean; quiet: boolean }, facts: Partial<UploadResult>) => {
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    try {
      const screen = openScreen(how, () => []);
      const usual = { asset: { id: "asset-1" }, size: 2_000_000, resumed: false, duration: 1000 };
      screen.uploaded({ label: "a.mp4", number: 1 }, { ...usual, ...facts } as UploadResult);
      screen.close();
      return write.mock.calls.map(([text]) => text).join("");
    } finally {
      write.mockRestore();
    }
  };
  const WORDS = "The journal can't be written: the same command would upload it again";

  test.each([false, true])("in words, also behind how it was verified; quiet: %s", (quiet) => {
    const how = { json: false, quiet };
    const told = "Uploaded a.mp4: asset asset-1 (2.0 MB in 1 s)";
    expect(printed(how, { remembered: false })).toBe(`${told}. ${WORDS}\n`);
    expect(printed(how, { remembered: false, verified: "sha256" })).toBe(
      `${told}, verified by sha256. ${WORDS}\n`,
    );
    expect(printed(how, { remembered: true })).toBe(quiet ? "" : `${told}\n`);
  });

  test("as a field of JSON", () => {
    const how = { json: true, quiet: false };
    const remembered = (value: boolean) => JSON.parse(printed(how, { remembered: value })).remembered;
    expect([remembered(true), remembered(false)]).toEqual([true, false]);
  });
});
