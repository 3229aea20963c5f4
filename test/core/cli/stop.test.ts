import { describe, expect, test } from "vitest";
import {
  answeredBefore,
  exitCodeOf,
  isOfFullDisk,
  Stopped,
  signalsOf,
  stopsAll,
} from "../../../core/cli/stop.ts";
import type { Client, UploadLocation } from "../../../core/client.ts";
import { UploadError } from "../../../core/errors/errors.ts";

test.each([
  ["ENOSPC", true],
  ["EDQUOT", true],
  ["EROFS", true],
  ["EIO", false],
])("a journal that fails with %s stops all other videos: %s", (code, isFull) => {
  const error = new UploadError("journal-failed", "Cannot write the journal", { cause: { code } });
  expect([isOfFullDisk(error), stopsAll(error)]).toEqual([isFull, isFull]);
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
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGBREAK", 149],
  ["SIGPIPE", 141],
  ["output", 1],
] as const)("what %s stops ends with %i", (by, code) => {
  const stopped = new Stopped(by);
  expect([stopped.name, stopped.message, exitCodeOf(stopped)]).toEqual(["Stopped", `stopped by ${by}`, code]);
});

test("a closed window and Ctrl-Break of Windows pause, too", () => {
  expect(signalsOf("win32")).toEqual(["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"]);
  // Elsewhere it is no signal, and Deno refuses to listen to it.
  expect(signalsOf("linux")).not.toContain("SIGBREAK");
});
