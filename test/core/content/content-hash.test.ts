import { expect, test, vi } from "vitest";
import { openContentHash } from "../../../core/content/content-hash.ts";
import { sha256 } from "../../support/content.ts";

const bytes = new TextEncoder().encode("video");

test.each([
  ["sha256", sha256(bytes)],
  ["SHA-256", sha256(bytes)],
  ["md5", "421b47ffd946ca083b65cd668c6b17e6"],
  ["blorp", undefined],
])("openContentHash() of %s makes %s", async (algorithm, expected) => {
  const hash = await openContentHash(algorithm);
  hash?.update(bytes.subarray(0, 2));
  hash?.update(bytes.subarray(2));
  expect(await hash?.digest()).toBe(expected);
});

test("openContentHash() takes the caller's own for sha256 alone", async () => {
  const own = vi.fn(async () => ({ update() {}, digest: () => "own" }));
  expect(await (await openContentHash("SHA256", own))?.digest()).toBe("own");
  await openContentHash("md5", own);
  expect(own).toBeCalledTimes(1);
});
