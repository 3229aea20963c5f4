/** Playlists of a video that are away hide none of those that are there; nor does a piece. */
import { describe, expect, test } from "vitest";
import { inspectHls, openHls } from "../../../core/hls/mod.ts";
import { caught } from "../../support/caught.ts";
import { bytesOf, expectOriginal } from "../../support/hls/hls-original.ts";
import { mediaPlaylist, pieceLines } from "../../support/hls/hls-server.ts";
import { useHls } from "../../support/hls/use-hls.ts";
import { MARKER } from "../../support/marker.ts";

const hls = useHls();
const main = () => new URL(`/main.m3u8?signature=${MARKER}`, hls.origin);

/** A main playlist of qualities, each by its height and where it is. */
function putMain(...qualities: [height: number, address: string, more?: string][]): void {
  const lines = qualities.flatMap(([height, address, more = ""]) => [
    `#EXT-X-STREAM-INF:BANDWIDTH=${1000 * height},RESOLUTION=${2 * height}x${height}${more}`,
    address,
  ]);
  hls.files.set("/main.m3u8", ["#EXTM3U", ...lines, ""].join("\n"));
}

const expectMain = async (options = {}) =>
  await expectOriginal(await bytesOf(await openHls(main(), options)));

describe("where the best quality is away", () => {
  test.each([
    ["is gone", { status: 404 }],
    ["is forbidden", { status: 403 }],
    ["holds a page", { status: 200, body: "<!doctype html><title>Sign in</title>" }],
    ["holds nothing", { status: 200, body: "" }],
    ["names itself", { status: 302, headers: { location: "/main.m3u8" } }],
  ])("since its playlist %s, openHls() takes the next one", async (_, habit) => {
    putMain([90, "/ts/index.m3u8"], [180, "/large.m3u8"]);
    hls.habits.set("/large.m3u8", habit);
    await expectMain();
  });

  test("openHls() takes no other than the one that is asked for", async () => {
    putMain([90, "/ts/index.m3u8"], [180, "/large.m3u8"]);
    expect(await caught(openHls(main(), { quality: "180p-180000" }))).toMatchObject({
      code: "source-refused",
      httpStatus: 404,
    });
    expect(hls.requests).toEqual(["/main.m3u8", "/large.m3u8"]);
  });

  test("a server that is down doesn't let each quality wait for minutes", async () => {
    putMain([90, "/ts/index.m3u8"], [180, "/large.m3u8"], [120, "/middle.m3u8"]);
    hls.habits.set("/large.m3u8", { status: 503, headers: { "retry-after": "3600" } });
    hls.habits.set("/middle.m3u8", { status: 503 });
    await expectMain();
    expect(hls.requests.filter((path) => path === "/middle.m3u8")).toHaveLength(2);
  });

  test("openHls() tells what was wrong with the best one if none is there", async () => {
    putMain([90, "/small.m3u8"], [180, "/large.m3u8"]);
    hls.habits.set("/large.m3u8", { status: 403 });
    expect(await caught(openHls(main()))).toMatchObject({ code: "source-refused", httpStatus: 403 });
  });

  test("an abort ends it, and takes no other", async () => {
    putMain([90, "/ts/index.m3u8"], [180, "/large.m3u8"]);
    hls.files.set("/large.m3u8", "x");
    hls.habits.set("/large.m3u8", { silentAfter: 0 });
    const stopper = new AbortController();
    const opening = caught(openHls(main(), { signal: stopper.signal }));
    await expect.poll(() => hls.requests.length).toBe(2);
    const reason = new Error("enough");
    stopper.abort(reason);
    expect(await opening).toBe(reason);
    expect(hls.requests).not.toContain("/ts/index.m3u8");
  });
});

describe("where the same quality is there twice", () => {
  const id = "90p-90000";

  test.each([
    ["is gone", { status: 404 }],
    ["can't be had now", { status: 503 }],
  ])("and the first %s, the other is taken", async (_, habit) => {
    putMain([90, "/away.m3u8"], [90, "/ts/index.m3u8"]);
    hls.habits.set("/away.m3u8", habit);
    const { qualities } = await inspectHls(main());
    expect(qualities).toMatchObject([{ id, problem: undefined, duration: expect.any(Number) }]);
    await expectMain({ quality: id });
  });

  test("and the sound of the first is away, the other is taken with its own", async () => {
    putMain([90, "/video/index.m3u8", ',AUDIO="a"'], [90, "/video/index.m3u8", ',AUDIO="b"']);
    const sound = (group: string, address: string) =>
      `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="${group}",NAME="x",DEFAULT=YES,URI="${address}"`;
    const list = String(hls.files.get("/main.m3u8"));
    hls.files.set("/main.m3u8", [list, sound("a", "/away.m3u8"), sound("b", "/audio/index.m3u8")].join("\n"));
    await expectMain();
  });

  test.each([
    ["is in a format that isn't read here", "dvh1.05.01", pieceLines(["none.mp4"])],
    ["lacks a piece", "avc1.64000b", ["#EXTINF:2,", "#EXT-X-GAP", "0.ts", ...pieceLines(["1.ts"])]],
  ])("and the first %s, the other is taken", async (_, codec, lines) => {
    putMain([90, "/bad.m3u8", `,CODECS="${codec}"`], [90, "/ts/index.m3u8", ',CODECS="avc1.64000b"']);
    hls.files.set("/bad.m3u8", mediaPlaylist(lines));
    expect((await inspectHls(main())).qualities).toMatchObject([{ id, problem: undefined }]);
    await expectMain();
  });

  test("and neither is there, what is wrong with the first is told", async () => {
    putMain([90, "/away.m3u8"], [90, "/gone.m3u8"]);
    hls.habits.set("/gone.m3u8", { status: 410 });
    expect(await caught(openHls(main()))).toMatchObject({ httpStatus: 404 });
  });
});

describe("a piece that isn't there", () => {
  const read = async () => await bytesOf(await openHls(new URL("/ts/index.m3u8", hls.origin)));

  test.each([
    ["the first", 0, "piece 1 of 3 isn't there, while piece 2 is"],
    ["a middle one", 1, "piece 2 of 3 isn't there, while piece 3 is"],
    ["the last", 2, "piece 3 of 3 isn't there, while piece 2 is"],
  ])("is told where it is %s, and that another one is there", async (_, number, words) => {
    for (const httpStatus of [404, 410]) {
      hls.habits.set(`/ts/${number}.ts`, { status: httpStatus });
      const error = await caught(read());
      expect(error).toMatchObject({ name: "UploadError", code: "source-refused", httpStatus });
      expect(error.message).toContain(words);
    }
  });

  test("may have moved with all others", async () => {
    for (const number of [0, 1, 2]) hls.habits.set(`/ts/${number}.ts`, { status: 404 });
    expect((await caught(read())).message).toContain("take the new address");
  });
});
