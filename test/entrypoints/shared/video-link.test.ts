import { expect, test } from "vitest";
import { pageAt, readLink } from "../../../entrypoints/shared/video-link.ts";

test.each([
  ["video.mp4", "no-link"],
  ["not a link", "no-link"],
  ["ftp://cdn.example/video.mp4", "no-link"],
  ["file:///home/me/video.mp4", "local-file"],
  ["C:\\Videos\\video.mp4", "local-file"],
  ["https://me:secret@cdn.example/video.mp4", "password"],
])("readLink() refuses %j as %s", (text, refused) => {
  expect(readLink(text)).toEqual({ refused });
});

test.each([
  [
    "https://cdn.example/a%20video.mp4?signature=s#t=1",
    "https://cdn.example/a%20video.mp4?signature=s",
    "a video.mp4",
  ],
  // As the address bar shows it.
  ["cdn.example/videos/tour.mp4", "https://cdn.example/videos/tour.mp4", "tour.mp4"],
  ["http://cdn.example/", "http://cdn.example/", "cdn.example"],
])("readLink() takes %j as %s, called %j", (text, address, title) => {
  expect(readLink(text)).toEqual({ address, title });
});

test.each([
  ["https://cdn.example/one/launch.m3u8?a=b", "hls", "launch"],
  ["https://cdn.example/one/master.m3u8", "hls", "cdn.example"],
  ["https://cdn.example/one/Launch%20video.mpd", "dash", "Launch video"],
])(
  "readLink() takes %s as a video in pieces, by its name if that tells anything",
  (address, pieces, title) => {
    expect(readLink(address)).toEqual({ address, pieces, title });
  },
);

test.each([
  ["https://m.youtube.com/watch?v=1", "page"],
  ["HTTPS://YOUTU.BE/1", "page"],
  ["www.youtube.com/shorts/1", "page"],
  ["https://www.youtube-nocookie.com/embed/1", "page"],
  ["https://www.youtube.com./watch?v=1", "page"],
  ["https://player.vimeo.com/video/1", "page"],
  ["https://fb.watch/1", "page"],
  ["https://twitter.com/somebody/status/1", "page"],
  ["https://youtube.com.example/watch?v=1", "likely-page"],
  ["https://notyoutube.com/watch?v=1", "likely-page"],
  ["https://example.com/?from=youtube.com", "likely-page"],
  ["https://cdn.example/youtube.com/1.mp4", undefined],
] as const)("%s leads to a page: %s", (text, expected) => {
  const link = readLink(text);
  expect("address" in link && pageAt(link.address)).toBe(expected);
});
