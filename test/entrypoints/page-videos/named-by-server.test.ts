import { expect, test } from "vitest";
import { videoAt } from "../../../entrypoints/page-videos/named-by-server.ts";

const ADDRESS = "https://news.example/download/17";

test.each<[string, Record<string, string>, string | undefined]>([
  ["with a file's name", { "content-disposition": 'attachment; filename="The tour.mp4"' }, "The tour"],
  ["with a bare name", { "content-disposition": "attachment; filename=tour.webm" }, "tour"],
  ["with an encoded name", { "content-disposition": "attachment; filename*=UTF-8''B%C3%BCro.mov" }, "Büro"],
  [
    "with both",
    { "content-disposition": `attachment; filename="x.mp4"; filename*=UTF-8''Der%20Rundgang.mp4` },
    "Der Rundgang",
  ],
  ["with a video's type", { "content-type": "video/mp4; codecs=avc1" }, "Download now"],
  ["with a name of a program", { "content-disposition": 'inline; filename="64caB.mp4"' }, "Download now"],
  ["with another file", { "content-disposition": 'attachment; filename="mp4.zip"' }, undefined],
  ["with a page", { "content-type": "text/html" }, undefined],
  ["that says nothing", {}, undefined],
])("videoAt() reads the answer of a server %s", (_, headers, title) => {
  const video = videoAt(ADDRESS, { title: "Download now" }, new Headers(headers));
  expect(video?.title).toBe(title);
  if (video !== undefined) expect(video).toMatchObject({ kind: "file", address: ADDRESS, isLink: true });
});
