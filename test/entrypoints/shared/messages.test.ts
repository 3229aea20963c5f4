import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { callBackground } from "../../../entrypoints/shared/messages.ts";

const sendMessage = vi.fn<(message: object) => Promise<unknown>>();
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("chrome", { runtime: { sendMessage } });
});
afterEach(() => {
  vi.useRealTimers();
  sendMessage.mockReset();
});

test.each([
  ["read-settings", {}, 10_000],
  ["ensure-offscreen", {}, 30_000],
  ["request-upload", { jobId: "one" }, 30_000],
  ["recall-location", { jobId: "one" }, 30_000],
  ["check-account", {}, 30_000],
  ["read-asset", { id: "one" }, 30_000],
  ["terminate-stream", { id: "one" }, 30_000],
] as const)(
  "callBackground() gives up a worker that is kept busy, and repeats nothing: %s",
  async (...row) => {
    const [type, request, time] = row;
    sendMessage.mockReturnValue(new Promise(() => {}));
    let outcome = "open";
    const settle = () => {
      outcome = "given up";
    };
    const call = callBackground(type, request as never).then(settle, settle);
    await vi.advanceTimersByTimeAsync(time - 1);
    expect(outcome).toBe("open");
    await vi.advanceTimersByTimeAsync(1);
    await call;
    expect(outcome).toBe("given up");
    expect(sendMessage.mock.calls).toEqual([[{ ...request, to: "background", type }]]);
  },
);

test("callBackground() asks the next life of a worker that died, but never to end a stream twice", async () => {
  sendMessage.mockRejectedValueOnce(new Error("died")).mockResolvedValueOnce("settings");
  expect(await callBackground("read-settings", {} as never)).toBe("settings");
  sendMessage.mockRejectedValueOnce(new Error("died")).mockResolvedValueOnce({ ended: true });
  await expect(callBackground("terminate-stream", { id: "one" } as never)).rejects.toThrow("died");
  expect(sendMessage).toHaveBeenCalledTimes(3);
});

test("callBackground() rejects where the background failed", async () => {
  sendMessage.mockResolvedValueOnce({ noResponse: true });
  await expect(callBackground("read-settings", {} as never)).rejects.toThrow("the background failed");
});

test("callBackground() waits for nothing where the extension is gone", async () => {
  sendMessage.mockImplementation(() => {
    throw new Error("Extension context invalidated.");
  });
  await expect(callBackground("read-settings", {} as never)).rejects.toThrow("invalidated");
  expect(vi.getTimerCount()).toBe(0);
});
