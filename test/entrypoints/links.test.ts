import { expect, test } from "vitest";
import { linksOf } from "../../entrypoints/popup/links.ts";

const page = "https://watch.example/?v={playbackId}&a={assetId}";

test("the person's playback page comes first, with the ids encoded", () => {
  expect(linksOf({ id: "a/1", playbackId: "p&1" }, page)).toEqual({
    watch: "https://watch.example/?v=p%261&a=a%2F1",
  });
});

test("a playback page that needs a playback id is left out without one", () => {
  expect(linksOf({ id: "a" }, page)).toEqual({});
  expect(linksOf({ id: "a" }, "https://watch.example/{assetId}")).toEqual({
    watch: "https://watch.example/a",
  });
});

test("the record's own links are used without one, and the download stands beside", () => {
  const record = {
    id: "a",
    playbackUrl: "https://cdn.example/a.m3u8",
    downloadUrl: "https://cdn.example/a.mp4",
  };
  expect(linksOf(record, "")).toEqual({ watch: record.playbackUrl, download: record.downloadUrl });
  expect(linksOf({ id: "a", downloadUrl: record.downloadUrl }, "")).toEqual({ watch: record.downloadUrl });
});

test("only addresses of the web become links", () => {
  for (const playbackUrl of ["javascript:alert(1)", "data:text/html,x", "/a.m3u8", "", null, 7])
    expect(linksOf({ id: "a", playbackUrl } as never, "")).toEqual({});
  expect(linksOf({ id: "a" }, "javascript:alert('{assetId}')")).toEqual({});
});
