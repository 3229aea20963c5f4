import { expect, test } from "vitest";
import { uploadAtRandom } from "./random-uploads.ts";

test("ten uploads come whole through random faults", { retry: 0, timeout: 120_000 }, async () => {
  const seed = 20_000_000;
  const { whole, others, faults } = await uploadAtRandom(seed, 10);
  expect(others).toEqual([]);
  expect(whole).toBe(10);
  expect(faults).toBeGreaterThan(5);
});
