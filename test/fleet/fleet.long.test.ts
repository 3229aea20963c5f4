/** The fleet of the example, large: workers that are killed again and again, and a Redis that is away for a while. */
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Script } from "../support/programs/script.ts";
import { seeded } from "../support/seeded.ts";
import { useOpened } from "../support/use-opened.ts";
import { audit, type RuntimeName, startFleet } from "./fleet.ts";
import { addressList, sizeOf } from "./videos.ts";

const GOOD = Number(process.env.UPCUT_VIDEOS ?? 500);
const ADDRESSES = 4 * GOOD;
const KILL_INTERVAL = 2_500;
const LONGEST = 30 * 60_000;
const RUNTIMES: RuntimeName[] = ["node", "bun", "deno", "node"];
const fleet = useOpened(() => startFleet(5_000));

test(
  "four workers upload 500 of 2,000 addresses once each, though one is killed every few seconds and Redis once",
  async () => {
    const random = seeded(Number(process.env.UPCUT_SEED ?? 7));
    const { videos, redis } = fleet;
    const { addresses, seeds } = addressList(videos, GOOD, random);
    expect(addresses).toHaveLength(ADDRESSES);
    await fleet.add(addresses, 2);

    const started = Date.now();
    const workers: Script[] = RUNTIMES.map((runtime) => fleet.startWorker(runtime));
    const end = { completed: GOOD, failed: ADDRESSES - 3 * GOOD };
    let kills = 0;
    let restarts = 0;
    for (let nextKill = Date.now() + KILL_INTERVAL; Date.now() - started < LONGEST; await delay(250)) {
      const ended = await fleet.ended();
      if (ended.completed + ended.failed >= end.completed + end.failed) break;
      if (restarts === 0 && ended.completed > GOOD / 2) {
        restarts++;
        await redis.kill();
        await delay(2_000);
        await redis.start();
      }
      if (Date.now() < nextKill) continue;
      nextKill = Date.now() + KILL_INTERVAL;
      const victim = Math.floor(random() * workers.length);
      workers[victim]?.process.kill("SIGKILL");
      workers[victim] = fleet.startWorker(RUNTIMES[victim] ?? "node");
      kills++;
    }
    const seconds = Math.round((Date.now() - started) / 1000);

    const lines = await fleet.report();
    const { wrong, assets, doubtful } = await audit(fleet, lines, seeds);
    const bytes = [...seeds.values()].reduce((sum, seed) => sum + sizeOf(seed), 0);
    const stalled = lines.filter((line) => line.stalled > 0).length;
    const resumed = lines.filter((line) => line.resumed === true).length;
    console.log(
      `${seconds} s, ${kills} kills, ${restarts} restart of Redis, ${stalled} jobs taken over, ${resumed} resumed; ` +
        `${assets} assets of ${seeds.size} videos, ${doubtful} named as doubtful; ` +
        `${(bytes / 1e6).toFixed(0)} MB of videos`,
    );
    expect(wrong).toEqual([]);
    expect(await fleet.ended()).toEqual(end);
    expect(lines).toHaveLength(end.completed + end.failed);
    expect(assets).toBeGreaterThanOrEqual(GOOD);
    expect(assets).toBeLessThanOrEqual(GOOD + doubtful);
    expect(restarts).toBe(1);
    expect(kills).toBeGreaterThanOrEqual(5);
    for (const { failed, assetId } of lines) if (assetId === undefined) expect(failed).toMatch(/^[\w-]+: /);
  },
  LONGEST + 120_000,
);
