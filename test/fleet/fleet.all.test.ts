/** The fleet of the example, small: a worker that is killed, one that is stopped, and a service that asks to wait. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { useOpened } from "../support/use-opened.ts";
import { audit, startFleet } from "./fleet.ts";
import { sizeOf } from "./videos.ts";

const MiB = 1024 * 1024;
const VIDEOS = 20;
const fleet = useOpened(() => startFleet(5_000));
vi.setConfig({ testTimeout: 120_000 });
afterEach(() => fleet.killWorkers?.());

test("the fleet's sources fit its packages", async () => {
  const { stdout } = await promisify(execFile)("node", [
    "node_modules/typescript/bin/tsc",
    ...["-p", "core/examples/fleet/tsconfig.json"],
  ]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe("");
});

test("two workers upload twenty videos once each, though one is killed and the service asks to wait", async () => {
  const { service, videos } = fleet;
  await service.set({
    throttle: 6 * MiB,
    answerStatus: [{ host: "api", method: "POST", status: 429, retryAfter: "1", times: 1 }],
  });
  const seeds = new Map(Array.from({ length: VIDEOS }, (_, at) => [at + 1, at + 1]));
  const addresses = [...seeds.values()].map((seed) => videos.address(seed));
  const missing = videos.broken("missing", 1);
  expect(await fleet.add([...addresses, missing, "no address", addresses[0] ?? ""])).toContain(
    "Read 23 addresses, 1 of them wrong. 21 more are waiting",
  );
  const first = fleet.startWorker("node");
  // Line 10 has several parts.
  const isHalfway = async () =>
    (await service.uploads()).some(({ arrived, size }) => size === sizeOf(10) && arrived > 8 * MiB);
  await expect.poll(isHalfway).toBe(true);
  first.process.kill("SIGKILL");
  const second = fleet.startWorker("bun");
  await service.set({ throttle: 0 });
  await expect.poll(() => fleet.ended()).toEqual({ completed: VIDEOS, failed: 1 });
  const lines = await fleet.report();
  expect(lines).toHaveLength(VIDEOS + 1);
  const { wrong, assets, doubtful } = await audit(fleet, lines, seeds);
  expect(wrong).toEqual([]);
  expect(assets).toBeLessThanOrEqual(VIDEOS + doubtful);
  expect(lines.some(({ stalled, resumed }) => stalled > 0 && resumed === true)).toBe(true);
  expect(lines[VIDEOS]).toMatchObject({ line: 21, failed: expect.stringContaining("source-refused") });
  expect(first.output() + second.output()).toContain("The service asks to wait for 1 s");
});

test("a worker that is stopped puts its video back at once, and another one resumes it", async () => {
  const { service, videos } = fleet;
  await service.reset();
  await service.set({ throttle: 6 * MiB });
  const before = await fleet.ended();
  await fleet.add([videos.address(30)]);
  const first = fleet.startWorker("node");
  await expect.poll(async () => (await service.uploads())[0]?.arrived ?? 0).toBeGreaterThan(8 * MiB);
  first.process.kill("SIGTERM");
  expect(await first.ended()).toMatchObject({ code: 0, output: expect.stringContaining("Stopping") });
  await service.set({ throttle: 0 });
  const second = fleet.startWorker("deno");
  await expect.poll(() => fleet.ended()).toEqual({ ...before, completed: before.completed + 1 });
  await second.prints("Line 1: resumed as asset");
  const [stored, ...more] = await service.assets();
  expect(more).toEqual([]);
  expect((await service.whole(stored?.asset.id ?? "")).sha256).toBe(videos.sha256(30));
});

test("a worker that is stopped while Redis is away ends by itself, and prints no stack", async () => {
  const worker = fleet.startWorker("node");
  await worker.prints("Working");
  await fleet.redis.kill();
  try {
    await worker.prints("Redis can't be reached");
    worker.process.kill("SIGTERM");
    const { code, output } = await worker.ended();
    expect(code).toBe(0);
    expect(output).toContain("Another worker takes over what runs");
    expect(output).not.toMatch(/^ +at /m);
  } finally {
    await fleet.redis.start();
  }
});
