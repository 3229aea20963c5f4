import { expect, test } from "vitest";
import { pastScanners } from "../../../core/disk/scanners.ts";
import { caught } from "../../support/caught.ts";

const failing = (code: string, times: number) => {
  let tries = 0;
  return {
    tries: () => tries,
    async work() {
      if (++tries <= times) throw Object.assign(new Error("in use"), { code });
      return "done";
    },
  };
};

test.each(["EPERM", "EBUSY", "EACCES"])(
  "pastScanners() tries again after %s, where files may be in use",
  async (code) => {
    const { work, tries } = failing(code, 3);
    expect(await pastScanners(work, true)).toBe("done");
    expect(tries()).toBe(4);
  },
);

test("pastScanners() gives up after a second, and at once elsewhere or for another reason", async () => {
  const forever = failing("EPERM", Number.POSITIVE_INFINITY);
  const began = performance.now();
  expect(await caught(pastScanners(forever.work, true))).toMatchObject({ code: "EPERM" });
  expect(performance.now() - began).toBeGreaterThanOrEqual(1_000);
  for (const [code, isWindows] of [
    ["EPERM", false],
    ["ENOSPC", true],
  ] as const) {
    const { work, tries } = failing(code, 1);
    expect(await caught(pastScanners(work, isWindows))).toMatchObject({ code });
    expect(tries()).toBe(1);
  }
});
