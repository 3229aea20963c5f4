/** One machine without Redis, large: 2,000 addresses of 500 videos in one process, which is killed again and again. */
import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { seeded } from "../seeded.ts";
import { audit } from "./fleet.ts";
import { runKilled } from "./killed-runs.ts";
import { useLocal } from "./local.ts";
import { addressList, sizeOf } from "./videos.ts";

const GOOD = Number(process.env.UPCUT_VIDEOS ?? 500);
const KILLS = 15;
const local = useLocal();

test(
  "one process uploads 500 of 2,000 addresses once each, though it is killed fifteen times",
  async () => {
    const random = seeded(Number(process.env.UPCUT_SEED ?? 7));
    const { addresses, seeds } = addressList(local.videos, GOOD, random);
    const { list } = local;
    await writeFile(list, addresses.join("\n"));
    const started = Date.now();
    const doneBetween = () => 1 + Math.floor((random() * 0.9 * GOOD) / KILLS);
    const { lines, kills, code } = await runKilled(local, list, { kills: KILLS, doneBetween });
    const seconds = Math.round((Date.now() - started) / 1000);
    const { wrong, assets, doubtful } = await audit(local, lines, seeds);
    const bytes = [...seeds.values()].reduce((sum, seed) => sum + sizeOf(seed), 0);
    const reported = lines.filter(({ failed }) => failed !== undefined).length;
    console.log(
      `${seconds} s, ${kills} kills; ${assets} assets of ${seeds.size} videos, ${doubtful} named as doubtful; ` +
        `${reported} broken ones reported; ${(bytes / 1e6).toFixed(0)} MB of videos`,
    );
    expect(wrong).toEqual([]);
    expect(addresses).toHaveLength(4 * GOOD);
    expect(lines).toHaveLength(2 * GOOD);
    expect(reported).toBe(GOOD);
    expect(assets).toBeGreaterThanOrEqual(GOOD);
    expect(assets).toBeLessThanOrEqual(GOOD + doubtful);
    expect(kills).toBe(KILLS);
    expect(code).toBe(1);
  },
  30 * 60_000,
);
