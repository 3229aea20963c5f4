import { describe, expect, test } from "vitest";
import { openSource } from "../../../core/source/open.ts";
import { compareStored, digestOf } from "../../../core/upload/stored-content.ts";
import { caught } from "../../support/caught.ts";
import { content, contentHash, videoFile } from "../../support/content.ts";

const SIZE = 300_017;
const OWN = contentHash(SIZE);
const sent = {
  size: SIZE,
  secrets: ["a-secret-of-the-account"],
  digest: async (algorithm: string) => (/^sha-?256$/i.test(algorithm) ? OWN : undefined),
};
const compare = (fields: object, isOver = true) => compareStored({ id: "a", ...fields }, sent, isOver);

describe("compareStored()", () => {
  test.each<[string, object, string | undefined]>([
    [
      "the same hash",
      { size: SIZE, hash: [{ algorithm: "SHA-256", hash: ` ${OWN.toUpperCase()}` }] },
      "sha256",
    ],
    ["a hash that nobody knows", { size: SIZE, hash: [{ algorithm: "blorp", hash: "1" }] }, "size"],
    ["no hash", { size: SIZE }, "size"],
    ["hashes that are none", { size: SIZE, hash: [null, 7, { hash: 1 }] }, "size"],
    ["no size", {}, undefined],
  ])("of a record that names %s", async (_, fields, verified) => {
    expect(await compare(fields)).toBe(verified);
  });

  test("waits for a hash until nothing more will be named", async () => {
    expect(await compare({ size: SIZE }, false)).toBeUndefined();
  });

  test.each([
    ["another size, as of swept parts", { size: 0 }, `0 bytes, while ${SIZE} were sent`],
    [
      "another hash",
      { size: SIZE, hash: [{ algorithm: "sha256", hash: "00" }] },
      `sha256 00, while that of the source is ${OWN}`,
    ],
  ])("rejects %s", async (_, fields, words) => {
    const error = await caught(compare(fields));
    expect(error).toMatchObject({ code: "content-differs", message: expect.stringContaining(words) });
  });
});

test.each([
  ["a file", () => videoFile(SIZE)],
  ["bytes", () => content(SIZE)],
  ["an ArrayBuffer", () => content(SIZE).buffer],
])("digestOf() reads %s", async (_, open) => {
  const reading = { fetch: globalThis.fetch, signal: new AbortController().signal };
  const source = await openSource(open(), { type: "video/mp4" }, reading);
  expect(await digestOf(source, "sha256")).toBe(OWN);
  expect(await digestOf(source, "blorp")).toBeUndefined();
});
