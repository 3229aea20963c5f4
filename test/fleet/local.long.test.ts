/** One machine without Redis, large: 2,000 addresses of 500 videos in one process, which is killed again and again. */
import { expect, test } from "vitest";
import { uploadKilled } from "./killed-runs.ts";
import { useLocal } from "./local.ts";
import { sizeOf } from "./videos.ts";

const GOOD = Number(process.env.UPCUT_VIDEOS ?? 500);
const KILLS = 15;
const local = useLocal();

test(
  "one process uploads 500 of 2,000 addresses once each, though it is killed fifteen times",
  async () => {
    const started = Date.now();
    const seed = Number(process.env.UPCUT_SEED ?? 7);
    const most = (0.9 * GOOD) / KILLS;
    const { assets, doubtful, seeds } = await uploadKilled(local, { good: GOOD, kills: KILLS, most, seed });
    const bytes = [...seeds.values()].reduce((sum, each) => sum + sizeOf(each), 0);
    console.log(
      `${Math.round((Date.now() - started) / 1000)} s, ${KILLS} kills; ${assets} assets of ${seeds.size} videos, ` +
        `${doubtful} named as doubtful; ${(bytes / 1e6).toFixed(0)} MB of videos`,
    );
    expect(seeds.size).toBe(GOOD);
  },
  30 * 60_000,
);
