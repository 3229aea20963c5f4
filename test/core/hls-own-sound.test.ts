/** What is named as sound of its own may hold pictures too, or be what the pictures are in. */
import { expect, test } from "vitest";
import { inspectHls, openHls } from "../../core/hls/mod.ts";
import { bytesOf, expectOriginal } from "../hls-original.ts";
import { mainPlaylistWithSound, mediaPlaylist, pieceLines, sample } from "../hls-server.ts";
import { useHls } from "../use-hls.ts";

const hls = useHls();
const main = () => new URL("/main.m3u8", hls.origin);
const putMain = (video: string, audio: string) =>
  hls.files.set("/main.m3u8", mainPlaylistWithSound(video, audio));
const piecesAsked = () => hls.requests.filter((path) => /\.(ts|m4s)$/.test(path));

test.each([
  ["the playlist of the pictures", "/ts/index.m3u8"],
  ["the same playlist, named in another way", "../x/../ts/index.m3u8"],
  ["a playlist of the same pieces", "/ts/sound.m3u8"],
])("sound that is %s is taken from their pieces, each fetched once", async (_, address) => {
  hls.files.set("/ts/sound.m3u8", hls.files.get("/ts/index.m3u8") as string);
  putMain("ts/index.m3u8", address);
  const { qualities } = await inspectHls(main());
  expect(qualities).toMatchObject([{ problem: undefined }]);
  await expectOriginal(await bytesOf(await openHls(main())));
  expect(piecesAsked()).toEqual(["/ts/0.ts", "/ts/1.ts", "/ts/2.ts"]);
});

test.each([
  ["MPEG-TS", pieceLines(["0.ts", "1.ts", "2.ts"])],
  ["fMP4", ['#EXT-X-MAP:URI="init.mp4"', ...pieceLines(["0.m4s", "1.m4s", "2.m4s"])]],
])("of sound in %s that holds pictures as well, the sound alone is taken", async (_, lines) => {
  for (const number of [0, 1, 2]) {
    hls.files.set(`/sound/${number}.ts`, sample(`ts-${number}.mpegts`));
    hls.files.set(`/sound/${number}.m4s`, sample(`fmp4-${number}.m4s`));
  }
  hls.files.set("/sound/init.mp4", sample("fmp4-init.mp4"));
  hls.files.set("/sound/index.m3u8", mediaPlaylist(lines));
  putMain(lines.length > 6 ? "/fmp4/index.m3u8" : "/ts/index.m3u8", "/sound/index.m3u8");
  await expectOriginal(await bytesOf(await openHls(main())));
});
