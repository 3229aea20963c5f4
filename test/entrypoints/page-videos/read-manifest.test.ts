import { describe, expect, test } from "vitest";
import { readManifest } from "../../../entrypoints/page-videos/read-manifest.ts";
import { type Access, createAccess } from "../../../entrypoints/reach/host-permissions.ts";
import { byTimeline, manifest, template } from "../../support/hls/dash-manifest.ts";
import { mediaPlaylist, pieceLines } from "../../support/hls/hls-server.ts";
import { useHls } from "../../support/hls/use-hls.ts";

const hls = useHls();

const asAnybody: Access = async () => "omit";
const asPerson: Access = async () => "include";
const read = (path: string, access = asAnybody) => readManifest(hls.origin + path, access);
const putMain = (...variants: [attributes: string, path: string][]) =>
  hls.files.set(
    "/main.m3u8",
    ["#EXTM3U", ...variants.flatMap(([more, path]) => [`#EXT-X-STREAM-INF:${more}`, path]), ""].join("\n"),
  );

describe("a manifest is read", () => {
  test("with the qualities that can be taken, called as players call them", async () => {
    hls.files.set("/ended.m3u8", mediaPlaylist(pieceLines(["ts/0.ts", "ts/1.ts"])));
    hls.files.set("/on-air.m3u8", mediaPlaylist(pieceLines(["ts/0.ts"]), { ended: false }));
    putMain(
      ["BANDWIDTH=6000000,RESOLUTION=1920x1080,FRAME-RATE=59.94", "ended.m3u8"],
      ["BANDWIDTH=5000000,RESOLUTION=1080x1918,FRAME-RATE=30", "ended.m3u8"],
      // Nothing listens there: where pieces may not be read yet, that is asked for.
      ["BANDWIDTH=2800000,RESOLUTION=1280x720", "http://127.0.0.1:9/away.m3u8"],
      ["BANDWIDTH=900000,RESOLUTION=640x360", "missing.m3u8"],
      ["BANDWIDTH=800000,RESOLUTION=320x180", "on-air.m3u8"],
      ["BANDWIDTH=64000", "http://127.0.0.1:9/unknown.m3u8"],
    );
    const found = await read("/main.m3u8");
    expect(found?.qualities.map(({ label }) => label)).toEqual([
      "1080p60 · about\u00a03\u00a0MB",
      "1080p · about\u00a02.5\u00a0MB",
      "720p · 2.8\u00a0Mb/s",
      "64\u00a0kb/s",
    ]);
    expect(found).toMatchObject({ duration: 4, open: true, refused: false });
    expect(found).not.toHaveProperty("refusal");
    expect(found).not.toHaveProperty("chosen");
    expect(found?.playlists).toHaveLength(6);
  });

  test("with the one to be named, where a better one can't be taken", async () => {
    hls.files.set("/ended.m3u8", mediaPlaylist(pieceLines(["ts/0.ts"])));
    putMain(
      ["BANDWIDTH=5000000,RESOLUTION=1920x1080", "missing.m3u8"],
      ["BANDWIDTH=2800000,RESOLUTION=1280x720", "ended.m3u8"],
      ["BANDWIDTH=900000,RESOLUTION=640x360", "ended.m3u8"],
    );
    const found = await read("/main.m3u8");
    expect(found?.qualities.map(({ height }) => height)).toEqual([720, 360]);
    expect(found?.chosen).toBe(found?.qualities[0]?.id);
  });

  test("with its languages as the person calls them, and how many subtitles it has", async () => {
    hls.files.set("/ended.m3u8", mediaPlaylist(pieceLines(["ts/0.ts"])));
    const media = (type: string, tag: string, name: string) =>
      `#EXT-X-MEDIA:TYPE=${type},GROUP-ID="${type}",LANGUAGE="${tag}",NAME="${name}",URI="ended.m3u8"`;
    const sound = [
      ["en", "English"],
      ["de", "Deutsch"],
      ["en", "Commentary"],
      ["no tag", "Own"],
      ["und", "Music"],
    ].map(([tag = "", name = ""]) => media("AUDIO", tag, name));
    putMain(["BANDWIDTH=9000", "ended.m3u8"], ['BANDWIDTH=5000,AUDIO="AUDIO"', "ended.m3u8"]);
    const lines = [hls.files.get("/main.m3u8"), ...sound, media("SUBTITLES", "fr", "Français")];
    hls.files.set("/main.m3u8", lines.join("\n"));
    const found = await read("/main.m3u8");
    const labels = ["English", "German", "English (Commentary)", "Own", "Music"];
    expect(found?.languages.map(({ label }) => label)).toEqual(labels);
    expect(found?.languages.map(({ id }) => id)).toEqual(["en", "de", "Commentary", "no tag", "und"]);
    expect(found?.subtitles).toBe(1);
  });

  test("as the person where the browser lets us", async () => {
    expect(await read("/ts/index.m3u8", asPerson)).toMatchObject({ open: false, duration: 6 });
    hls.files.set("/launch/manifest.mpd", manifest(byTimeline));
    expect(await read("/launch/manifest.mpd")).toMatchObject({ open: true, qualities: [{ height: 90 }] });
  });

  test.each<[string, () => string, object | undefined]>([
    [
      "is a live stream",
      () => mediaPlaylist(pieceLines(["ts/0.ts"]), { ended: false }),
      { refusal: "live-stream" },
    ],
    [
      "is a live stream in DASH",
      () =>
        manifest(template('duration="1"'), {
          root: 'type="dynamic" availabilityStartTime="1970-01-01T00:00:00Z"',
        }),
      { refusal: "live-stream" },
    ],
    [
      "is protected",
      () => mediaPlaylist(['#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://1"', ...pieceLines(["ts/0.ts"])]),
      { refusal: "protected-video" },
    ],
    ["is none", () => "<!doctype html><title>Sign in</title>", { refused: true }],
  ])("that %s", async (_, text, expected) => {
    hls.files.set("/main.m3u8", text());
    expect(await read("/main.m3u8")).toMatchObject({ qualities: [], ...expected });
  });

  test("whose server refuses it, or can't be reached", async () => {
    hls.habits.set("/ts/index.m3u8", { status: 403 });
    expect(await read("/ts/index.m3u8")).toMatchObject({ refused: true, qualities: [] });
    const started = hls.requests.length;
    expect(await readManifest("http://127.0.0.1:9/main.m3u8", asAnybody)).toBeUndefined();
    expect(hls.requests).toHaveLength(started);
  });

  test("that a page of the internet names in our network, which isn't asked", async () => {
    const asked = hls.requests.length;
    expect(await read("/ts/index.m3u8", createAccess("https://news.example"))).toBeUndefined();
    expect(hls.requests).toHaveLength(asked);
    expect(await read("/ts/index.m3u8", createAccess(hls.origin))).toMatchObject({ duration: 6 });
  });
});
