/** The report of many uploads: counts, bytes and time left, uploads that stand still, and the end of a command. */
import { describe, expect, test, vi } from "vitest";
import { bytes, time } from "../../../core/cli/format.ts";
import { Standstill } from "../../../core/cli/lines.ts";
import { failureOf, openScreen } from "../../../core/cli/screen.ts";
import { answeredBefore } from "../../../core/cli/stop.ts";
import { outcomeOf, Tally } from "../../../core/cli/tally.ts";
import type { Client, UploadLocation } from "../../../core/client.ts";
import type { Totals } from "../../../core/many/total-progress.ts";
import type { Progress } from "../../../core/progress/progress.ts";
import type { UploadResult } from "../../../core/upload.ts";

const progress = (more: Partial<Progress>) => ({ state: "sending", sent: 0, ...more }) as Progress;

test.each([
  [59_001, "1 min 0 s"],
  [3_599_000, "59 min 59 s"],
  [3_600_000, "1 h 0 min"],
  [86_399_000, "23 h 59 min"],
  [86_400_000, "1 d 0 h"],
  [183_600_000, "2 d 3 h"],
])("%i milliseconds are %s", (milliseconds, expected) => {
  expect(time(milliseconds)).toBe(expected);
});

describe("Tally", () => {
  test("counts what was there neither as failed nor as bytes to send", () => {
    const told: Totals[] = [];
    const sizes = [100, 200, 300, 400].map((size) => ({ size }));
    const tally = new Tally((totals) => told.push(totals), sizes);
    tally.start(1, false);
    expect(told.at(-1)).toMatchObject({ sources: 4, sent: 0, total: 1000, fraction: 0, failed: 0 });
    tally.end(1, "alreadyThere");
    tally.start(2, false);
    tally.end(2, "failed");
    tally.start(3, false);
    tally.speed = 100;
    tally.update(3, progress({ state: "waiting", sent: 200, total: 300 }));
    const counts = { alreadyThere: 1, failed: 1 };
    expect(told.at(-1)).toMatchObject({ ...counts, sent: 200, total: 700, timeLeft: 5000 });
    // Another command has it.
    tally.postpone(3);
    tally.start(3, true);
    expect(told.at(-1)).toMatchObject({ sent: 0, total: 700, started: 3 });
    tally.update(3, progress({ sent: 300, total: 300 }));
    tally.end(3, "uploaded");
    expect(told.at(-1)).toMatchObject({ sent: 300, fraction: 300 / 700 });
    tally.start(4, false);
    tally.update(4, progress({ sent: 400, total: 400 }));
    tally.end(4, "uploaded");
    expect(told.at(-1)).toMatchObject({ sent: 700, total: 700, fraction: 1, timeLeft: 0 });
    expect(outcomeOf(tally)).toBe("2 uploaded, 1 was there already, 1 failed");
  });

  test("keeps a line for each of the first twenty that failed", () => {
    const tally = new Tally(() => {});
    for (let number = 1; number <= 25; number++) tally.fail(number, `${number}.mp4`);
    expect(tally.failed).toBe(25);
    expect(tally.failures).toEqual(Array.from({ length: 20 }, (_, at) => `${at + 1}.mp4`));
  });

  test("takes those of unknown size for as long as the others are on average", () => {
    const told: Totals[] = [];
    const tally = new Tally((totals) => told.push(totals), [{ size: 100 }, {}, {}]);
    tally.emit();
    expect(told.at(-1)?.total).toBe(300);
    tally.start(2, false);
    tally.update(2, progress({ state: "requesting", total: 50 }));
    expect(told.at(-1)?.total).toBe(225);
    new Tally((totals) => told.push(totals)).emit();
    expect(told.at(-1)).toMatchObject({ sources: undefined, total: undefined, fraction: undefined });
  });
});

test.each([
  [0, "0 B"],
  // A speed.
  [919.02, "919 B"],
  [999_960, "1.0 MB"],
])("%d bytes are shown as %j", (count, shown) => {
  expect(bytes(count)).toBe(shown);
});

describe("Standstill", () => {
  const waits = (sent: number) =>
    progress({ state: "waiting", sent, waiting: { reason: "connection", until: 0, attempt: 1 } });

  test("tells once that nothing gets through, and once that it resumes", () => {
    const standstill = new Standstill();
    const told: [number, string][] = [];
    const note = (now: number, report: Progress, number = 1) => {
      const words = standstill.note(number, report, now);
      if (words !== undefined) told.push([number, words]);
    };
    note(0, progress({ sent: 100 }));
    for (let at = 1_000; at < 500_000; at += 1_000) {
      note(at, waits(0));
      // An attempt that hands over what was sent before brings nothing.
      note(at + 500, progress({ sent: 100 }));
      note(at + 600, waits(0), 2);
    }
    expect(told).toEqual([[1, "waits: the connection failed"]]);
    note(500_000, progress({ sent: 101 }));
    note(500_000, progress({ sent: 102 }));
    expect(told.slice(1)).toEqual([[1, "resumes"]]);
    standstill.end(1);
    // The other one still stands, and that wasn't told.
    note(501_000, waits(0), 2);
    expect(told.slice(2)).toEqual([[2, "waits: the connection failed"]]);
  });

  test("tells at once, with its status and time, of a host that asks for a longer wait", () => {
    const until = new Date(2100, 0, 1, 14, 5, 10).getTime();
    const waiting = { reason: "rate-limited", httpStatus: 429, until, attempt: 1 } as const;
    expect(new Standstill().note(1, progress({ state: "waiting", waiting }), 0)).toBe(
      "waits: too many requests (429), tries again at 14:05:10",
    );
  });

  test("tells nothing of interruptions that are soon over", () => {
    const standstill = new Standstill();
    for (let at = 0; at < 500; at++) {
      expect(standstill.note(1, waits(at), at * 2_000)).toBeUndefined();
      expect(standstill.note(1, progress({ sent: at + 1 }), at * 2_000 + 500)).toBeUndefined();
    }
  });
});

describe("answeredBefore()", () => {
  const start = () => {
    const stopper = new AbortController();
    const answers: ((location: UploadLocation) => void)[] = [];
    const asked: (AbortSignal | undefined)[] = [];
    const requestUpload: Client["requestUpload"] = (_, options) => {
      asked.push(options?.signal);
      return new Promise((resolve) => answers.push(resolve));
    };
    const client = { requestUpload, scope: async () => "" } as unknown as Client;
    return { stopper, answers, asked, ...answeredBefore(stopper.signal, client) };
  };

  const options = { signal: new AbortController().signal };

  test("lets what was asked be answered, and asks nothing more", async () => {
    const { stopper, answers, asked, account, signal } = start();
    const calls = [account.requestUpload({}, options), account.requestUpload({}, options)];
    stopper.abort(new Error("stopped"));
    await expect(account.requestUpload({}, options)).rejects.toThrow("stopped");
    answers[0]?.({} as UploadLocation);
    await calls[0];
    expect([signal.aborted, ...asked.map((each) => each?.aborted)]).toEqual([false, false, false]);
    answers[1]?.({} as UploadLocation);
    await calls[1];
    expect(signal).toMatchObject({ aborted: true, reason: stopper.signal.reason });
  });

  test("ends at once where nothing was asked", () => {
    const { stopper, signal } = start();
    stopper.abort();
    expect(signal.aborted).toBe(true);
  });
});

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
