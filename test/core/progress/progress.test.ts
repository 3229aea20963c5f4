import { afterEach, describe, expect, test, vi } from "vitest";
import { upload } from "../../../core/mod.ts";
import { type Progress, ProgressMeter } from "../../../core/progress/progress.ts";
import type { Asset } from "../../../core/service/asset.ts";
import { useService } from "../../service/use-service.ts";
import { content, MiB } from "../../support/content.ts";

describe("ProgressMeter", () => {
  const meterOf = (total: number | undefined) => {
    const reports: Progress[] = [];
    const meter = new ProgressMeter(total, (progress) => reports.push(progress));
    return { meter, reports, last: () => reports.at(-1) };
  };

  test("reports every state that it enters, with what is known", () => {
    const { meter, last } = meterOf(100);
    meter.enter("requesting");
    const nothing = { sent: 0, acknowledged: 0, total: 100, fraction: 0, resumable: false };
    expect(last()).toEqual({ ...nothing, state: "requesting", asset: undefined, waiting: undefined });
    const asset: Asset = { id: "asset-1" };
    meter.asset = asset;
    meter.resumable = () => true;
    const waiting = { reason: "stalled", until: 7, attempt: 2 } as const;
    meter.enter("waiting", waiting);
    expect(last()).toEqual({ ...nothing, resumable: true, state: "waiting", asset, waiting });
    meter.enter("sending");
    expect(last()?.waiting).toBeUndefined();
  });

  test("counts what is handed over, and what of it again", () => {
    const { meter, last } = meterOf(100);
    const first = meter.body(0);
    first(30);
    first(30);
    first(20);
    expect([meter.sent, meter.resent, last()?.sent]).toEqual([30, 0, 30]);
    first(50);
    meter.acknowledge(40);
    expect(last()).toMatchObject({ sent: 40, acknowledged: 40, fraction: 0.4 });
    const second = meter.body(40);
    second(5);
    second(25);
    expect([meter.sent, meter.resent]).toEqual([75, 10]);
    meter.acknowledge(90);
    meter.body(70)(10);
    expect([meter.sent, meter.resent]).toEqual([85, 20]);
  });

  test("holds the bar at 99 % until the upload is done", () => {
    const { meter, last } = meterOf(100);
    const body = meter.body(0);
    body(99);
    expect(last()).toMatchObject({ state: "sending", fraction: 0.99 });
    body(100);
    expect(last()).toMatchObject({ state: "finishing", fraction: 0.99, sent: 100 });
    meter.acknowledge(100);
    expect(last()).toMatchObject({ state: "finishing", fraction: 0.99 });
    meter.enter("done");
    expect(last()).toMatchObject({ state: "done", fraction: 1 });
  });

  test("has no fraction without a total, until it is done", () => {
    const { meter, last } = meterOf(undefined);
    meter.body(0)(10);
    expect(last()).toMatchObject({ state: "sending", fraction: undefined, total: undefined });
    meter.enter("done");
    expect(last()).toMatchObject({ fraction: 1 });
  });

  test("reports one state again after 50 ms, and another one at once", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const { meter, reports } = meterOf(100);
      const body = meter.body(0);
      body(1);
      vi.advanceTimersByTime(49);
      body(2);
      expect(reports).toHaveLength(1);
      vi.advanceTimersByTime(1);
      body(3);
      expect(reports).toHaveLength(2);
      body(4);
      expect(reports).toHaveLength(2);
      vi.advanceTimersByTime(150);
      body(4);
      expect(reports).toHaveLength(2);
      body(100);
      expect(reports.map(({ sent }) => sent)).toEqual([1, 3, 100]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("progress of upload()", () => {
  const service = useService();
  afterEach(() => void vi.restoreAllMocks());
  const run = async (size: number) => {
    const reports: Progress[] = [];
    const client = service.client();
    await upload(client, content(size), {
      filename: "video.mp4",
      method: "resumable",
      onProgress: (progress) => reports.push(progress),
    });
    return reports;
  };

  test("tells speed and time left while it sends, once they are known", async () => {
    // A second between any two looks at either clock.
    let now = Date.now();
    vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    vi.spyOn(Date, "now").mockImplementation(() => (now += 1000));
    const reports = await run(10 * MiB);
    const first = reports.find(({ state }) => state === "sending");
    expect(first).toMatchObject({ speed: undefined, timeLeft: undefined });
    const known = reports.filter(({ speed }) => speed !== undefined);
    expect(known.length).toBeGreaterThan(0);
    for (const { speed, timeLeft, state, sent } of known.slice(0, -1)) {
      expect(speed).toBeGreaterThan(0);
      const left = (10 * MiB - sent) / (speed ?? 0);
      if (state === "sending") expect(timeLeft).toBeCloseTo(left * 1000, 3);
      else expect(timeLeft).toBeUndefined();
    }
    expect(reports.at(-1)).toMatchObject({ state: "done", timeLeft: 0 });
  });

  test("tells neither for an upload that is over before they can be known", async () => {
    const reports = await run(1000);
    expect(reports.every(({ speed }) => speed === undefined)).toBe(true);
    expect(reports.at(-1)).toMatchObject({ state: "done", timeLeft: 0 });
  });
});
