import { expect, test } from "vitest";
import { factsOfObject, isR2Object, r2ObjectSource } from "../../../core/source/r2-object.ts";
import { caught } from "../../support/caught.ts";

const known = { key: "films/tour.mp4", etag: "1", httpEtag: '"1"', size: 9 };
const reading = { signal: new AbortController().signal };
const body = () => new Blob([new Uint8Array(9)]).stream();

test("an object is known by its key, its version and its size", () => {
  expect(isR2Object(known)).toBe(true);
  const others = [{ key: 7 }, { etag: undefined }, { httpEtag: null }, { size: "9" }];
  expect(others.map((each) => isR2Object({ ...known, ...each }))).toEqual([false, false, false, false]);
  expect(isR2Object(null)).toBe(false);
});

test("its name is the last part of its key, and its identity that of its version", async () => {
  const metadata = { httpMetadata: { contentType: "video/mp4" } };
  const facts = factsOfObject(known.key, { ...known, ...metadata });
  expect(facts).toMatchObject({ name: "tour.mp4", type: "video/mp4", size: 9 });
  expect(factsOfObject("films/", known)).toMatchObject({ name: undefined, type: undefined });
  const others = [factsOfObject("tour.mp4", known), factsOfObject(known.key, { ...known, etag: "2" })];
  const identities = await Promise.all([facts, ...others].map(({ identity }) => identity()));
  expect(new Set(identities).size).toBe(3);
});

test.each([
  [undefined, true],
  [{ offset: 0, length: 9 }, true],
  [{ suffix: 9 }, true],
  [{ offset: 1, length: 8 }, false],
  [{ offset: 1 }, false],
  [{ length: 8 }, false],
  [{ suffix: 8 }, false],
])("of the range %j it is whole: %s", async (range, isWhole) => {
  const object = { ...known, body: body(), ...(range && { range }) };
  const opened = await r2ObjectSource(object, reading).catch((error: Error) => error);
  if (opened instanceof Error) expect(opened.message).toContain("only a range");
  else expect(opened).toMatchObject({ name: "tour.mp4", size: 9, rereadable: false });
  expect(opened instanceof Error).toBe(!isWhole);
});

test("its bytes must be there, and unread", async () => {
  const used = body();
  await used.cancel();
  const taken = body();
  taken.getReader();
  const open = (more: object) => caught(r2ObjectSource({ ...known, ...more }, reading));
  expect((await open({})).message).toContain("not asked for, or have changed");
  expect((await open({ body: "text" })).message).toContain("not asked for, or have changed");
  for (const each of [used, taken])
    expect(await open({ body: each })).toMatchObject({
      code: "invalid-source",
      message: expect.stringContaining("read already"),
    });
});
