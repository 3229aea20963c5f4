import { expect, test } from "vitest";
import { uploadAtRandom } from "./random-uploads.ts";

test("200 uploads come whole through random faults", async () => {
  const seed = Number(process.env.UPCUT_SEED ?? Date.now() % 1_000_000_000);
  console.log(`UPCUT_SEED=${seed}`);
  const { whole, others, faults, bytes, seconds } = await uploadAtRandom(seed, 200);
  console.log(
    `${whole} of 200 uploads whole (${(bytes / 1e6).toFixed(0)} MB) through ${faults} faults in ${seconds.toFixed(0)} s, seed ${seed}`,
  );
  expect(others).toEqual([]);
  expect(whole).toBe(200);
}, 1_800_000);
