import { describe, expect, onTestFinished, test, vi } from "vitest";
import { failureOf, openScreen } from "../../../core/cli/screen.ts";
import { UploadError } from "../../../core/errors/errors.ts";
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

describe("a screen in JSON", () => {
  const upload = { label: "a.mp4", number: 1 };
  /** The events that are printed, the clock standing still unless it is moved. */
  function open(quiet = false) {
    vi.useFakeTimers({ toFake: ["performance"] });
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    onTestFinished(() => void [write.mockRestore(), vi.useRealTimers()]);
    const screen = openScreen({ json: true, quiet }, () => ["secret-1"]);
    const progress = (state: string) => screen.progress(upload, { state, sent: 5, asset } as never);
    const told = () => write.mock.calls.map(([line]) => JSON.parse(`${line}`));
    return { screen, progress, told };
  }
  const asset = { id: "asset-1" };
  const totals = { uploaded: 1, alreadyThere: 0, failed: 0 } as never;

  test("tells progress at each change of state, and once a second", () => {
    const { screen, progress, told } = open();
    for (const state of ["sending", "sending", "waiting"]) progress(state);
    vi.advanceTimersByTime(1000);
    progress("waiting");
    for (let times = 0; times < 2; times++) screen.total(totals);
    expect(told().map(({ event, state }) => [event, state])).toEqual([
      ["progress", "sending"],
      ["progress", "waiting"],
      ["progress", "waiting"],
      ["total", undefined],
    ]);
    expect(told()[0]).toEqual({
      event: "progress",
      source: "a.mp4",
      number: 1,
      state: "sending",
      assetId: "asset-1",
      sent: 5,
    });
  });

  test("tells the end of each, whatever was told of another of its number", () => {
    const { screen, progress, told } = open();
    progress("sending");
    screen.alreadyThere(upload, { asset, verified: "md5" } as UploadResult);
    progress("sending");
    screen.failed(upload, new UploadError("interrupted", "Cannot upload: no"));
    screen.uploaded(upload, { asset: { id: "secret-1" }, task: { id: 7 }, size: 5 } as never);
    const events = told().map(({ event }) => event);
    expect(events).toEqual(["progress", "already-there", "progress", "failed", "uploaded"]);
    expect(told()[1]).toMatchObject({ assetId: "asset-1", verified: "md5" });
    expect(told()[3]).toMatchObject({ source: "a.mp4", number: 1, error: { code: "interrupted" } });
    expect(told()[4]).toMatchObject({ taskId: "7", size: 5 });
    expect(told()[4].assetId).not.toContain("secret-1");
  });

  test("tells no progress and no success where it is quiet", () => {
    const { screen, progress, told } = open(true);
    progress("sending");
    screen.total(totals);
    screen.say("paused", "Paused", {});
    screen.warn("not-ready", "Not ready", { assetId: "asset-1" });
    screen.uploaded(upload, { asset, size: 5 } as UploadResult);
    expect(told().map(({ event }) => event)).toEqual(["not-ready"]);
  });
});
