import fc from "fast-check";
import { expect, test } from "vitest";
import { linksOf } from "../../../entrypoints/popup/links.ts";

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

test("a link is what its address was read as, and never the record's own text", () => {
  const raw = "\u0001 ht\ntps://CDN.example:443/a\u202Egpm.mp4?x= y#\ud800\t";
  const href = "https://cdn.example/a%E2%80%AEgpm.mp4?x=%20y#%EF%BF%BD";
  expect(linksOf({ id: "a", playbackUrl: raw }, "")).toEqual({ watch: href });
  expect(linksOf({ id: "a", playbackUrl: "https://b.example/", downloadUrl: raw }, "")).toEqual({
    watch: "https://b.example/",
    download: href,
  });
});

test.each(["user:secret@", "user@", ":secret@"])(
  "an address with %s in it becomes no link",
  (credentials) => {
    expect(linksOf({ id: "a", playbackUrl: `https://${credentials}cdn.example/a.m3u8` }, "")).toEqual({});
  },
);

test("an id that can't be part of an address gives no playback page", () => {
  for (const id of ["\ud800", "\udc00x", "", 7, null, {}, { toString: 1 }, ["p"]])
    expect(linksOf({ id: "a", playbackId: id } as never, page)).toEqual({});
  expect(linksOf({ id: "\ud800", playbackId: "p" }, page)).toEqual({});
  expect(linksOf({ id: "\ud800", playbackId: "p" }, "https://watch.example/{playbackId}")).toEqual({
    watch: "https://watch.example/p",
  });
});

test("any record gives links of the web without credentials, or none", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.webUrl({ withFragments: true }),
    fc.webUrl().map((address) => address.replace("://", "://user:secret@")),
    fc.constantFrom(
      "javascript:alert(1)",
      "data:text/html,x",
      "blob:https://a.example/1",
      "//a.example",
      "https:",
    ),
  );
  const value = fc.oneof({ weight: 3, arbitrary: text }, fc.jsonValue(), fc.constant({ toString: 1 }));
  const record = fc.record({ id: text, playbackId: value, playbackUrl: value, downloadUrl: value });
  const pattern = fc.constantFrom(
    "",
    page,
    "https://{playbackId}.example/",
    "javascript:{assetId}",
    "{assetId}:x",
  );
  fc.assert(
    fc.property(record, pattern, (asset, pattern) => {
      for (const address of Object.values(linksOf(asset as never, pattern))) {
        const { href, protocol, username, password } = new URL(address);
        expect({ href, username, password }).toEqual({ href: address, username: "", password: "" });
        expect(["http:", "https:"]).toContain(protocol);
        expect(address).toMatch(/^[\x21-\x7e]*$/);
      }
    }),
    { numRuns: process.env.UPCUT_FILES === "all" ? 1000 : 300 },
  );
});
