import { describe, expect, test } from "vitest";
import { isOtherVersion, isSameVersion, versionName, versionOf } from "../../../core/source/version.ts";

describe("a version", () => {
  const NOW = Date.parse("2026-01-01T00:00:00Z");
  const date = (before: number) => new Date(NOW - before).toUTCString();
  const of = (headers: Record<string, string>) => versionOf(new Headers({ date: date(0), ...headers }));

  const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toUTCString();

  test.each<[string, Record<string, string>, string | undefined]>([
    ["a strong ETag", { etag: '"a"', "last-modified": date(5000) }, '"a"'],
    ["a weak ETag", { etag: 'W/"a"' }, 'W/"a"'],
    ["an old date", { "last-modified": date(2000) }, date(2000)],
    ["a date in the second before", { "last-modified": date(1000) }, undefined],
    ["a date to come", { "last-modified": date(-5000) }, undefined],
    ["no date that can be read", { "last-modified": "x" }, undefined],
    ["a date on a server without time", { date: "", "last-modified": ago(90_000) }, "told"],
    ["no fresh date on a server without time", { date: "", "last-modified": ago(30_000) }, undefined],
  ])("is named by %s", (_, headers, name) => {
    expect(versionName(of(headers))).toBe(name === "told" ? headers["last-modified"] : name);
  });

  test("holds the type in lower case, without its parameters", () => {
    expect(of({ "content-type": " Video/MP4 ; codecs=x" }).type).toBe("video/mp4");
    expect([of({ "content-type": ";" }).type, of({}).type, of({ etag: " " }).etag]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("with a strong ETag is the same whatever else is told", () => {
    const one = of({ etag: '"a"', "last-modified": date(5000), "content-type": "video/mp4" });
    expect(isSameVersion(one, of({ etag: '"a"' }))).toBe(true);
    expect(isSameVersion(one, of({ etag: '"b"', "last-modified": date(5000) }))).toBe(false);
    expect(isSameVersion(one, of({}))).toBe(false);
  });

  test("without one is the same only where all is", () => {
    const told = { etag: 'W/"a"', "last-modified": date(5000), "content-type": "Video/MP4; codecs=x" };
    const one = of(told);
    expect(isSameVersion(one, of({ ...told, "content-type": "video/mp4" }))).toBe(true);
    expect(isSameVersion(one, of({ ...told, "content-type": "" }))).toBe(true);
    for (const other of [
      { ...told, "last-modified": date(6000) },
      { ...told, etag: '"a"' },
      { ...told, "content-type": "video/webm" },
    ])
      expect(isSameVersion(one, of(other))).toBe(false);
  });

  test("whose date was of the present second is the same once that is over", () => {
    const told = { etag: 'W/"a"', "last-modified": date(0) };
    expect(isSameVersion(of(told), of({ ...told, date: date(-5000) }))).toBe(true);
  });

  test("says that it is another one only where both are told", () => {
    const dated = of({ "last-modified": date(5000) });
    expect(isOtherVersion(dated, of({ "last-modified": date(6000) }))).toBe(true);
    expect(isOtherVersion(dated, of({}))).toBe(false);
    expect(isOtherVersion(of({ etag: '"a"' }), of({ etag: '"b"' }))).toBe(true);
    expect(isOtherVersion(of({}), of({ etag: '"b"' }))).toBe(false);
    const tagged = of({ etag: '"a"', "last-modified": date(5000) });
    expect(isOtherVersion(tagged, of({ etag: '"a"', "last-modified": date(6000) }))).toBe(false);
  });
});
