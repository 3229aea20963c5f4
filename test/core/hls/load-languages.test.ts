/** Sound in several languages and subtitles: what there is, which one is taken, and that a resumed upload takes the same. */
import { describe, expect, test } from "vitest";
import { type HlsVideo, inspectHls, openHls } from "../../../core/hls/mod.ts";
import type { ReadableSource } from "../../../core/source/source.ts";
import { caught } from "../../support/caught.ts";
import { byTimeline, manifest } from "../../support/hls/dash-manifest.ts";
import { bytesOf, expectOriginal } from "../../support/hls/hls-original.ts";
import { useHls } from "../../support/hls/use-hls.ts";

const hls = useHls();
const quality = "90p-48000";
const SOUNDS = ["en", "de", "de-commentary"] as const;

/** Serves the sound of the sample in three languages, and their subtitles in two. */
const forms: Record<string, () => URL> = {
  HLS() {
    const media = (type: string, attributes: string) =>
      `#EXT-X-MEDIA:TYPE=${type},GROUP-ID="${type}",${attributes}`;
    const playlist = [
      "#EXTM3U",
      media("AUDIO", 'LANGUAGE="de",NAME="Deutsch",URI="/de/index.m3u8"'),
      media("AUDIO", 'LANGUAGE="en",NAME="English",DEFAULT=YES,URI="/en/index.m3u8"'),
      media("AUDIO", 'LANGUAGE="de",NAME="commentary",URI="/de-commentary/index.m3u8"'),
      media("SUBTITLES", 'LANGUAGE="en",NAME="English",URI="/texts/en.m3u8"'),
      media("SUBTITLES", 'LANGUAGE="fr",NAME="Français",URI="/texts/fr.m3u8"'),
      '#EXT-X-STREAM-INF:BANDWIDTH=48000,RESOLUTION=160x90,AUDIO="AUDIO",SUBTITLES="SUBTITLES"',
      "/video/index.m3u8",
      "#EXT-X-STREAM-INF:BANDWIDTH=99000,RESOLUTION=320x180",
      "/ts/index.m3u8",
    ];
    hls.files.set("/main.m3u8", playlist.join("\n"));
    return new URL("/main.m3u8", hls.origin);
  },
  DASH() {
    const set = (folder: string, language: string, more: string) =>
      `<AdaptationSet contentType="audio" mimeType="audio/mp4" lang="${language}">${more}
      <Representation bandwidth="9000" codecs="mp4a.40.2">${byTimeline("audio").replaceAll("../audio", `/${folder}`)}</Representation></AdaptationSet>`;
    const sets = [
      set("de", "de", "<Label>Deutsch</Label>"),
      set("en", "en", '<Role value="main"/><Label>English</Label>'),
      set("de-commentary", "de", '<Role value="commentary"/>'),
      '<AdaptationSet contentType="text" lang="en"><Label>English</Label><Representation bandwidth="1" mimeType="application/mp4"/></AdaptationSet>',
      '<AdaptationSet lang="fr"><Label>Français</Label><Representation bandwidth="1" mimeType="application/mp4" codecs="stpp"/></AdaptationSet>',
    ];
    const text = manifest(byTimeline).replace(
      /<AdaptationSet contentType="audio".*(?=<\/Period>)/s,
      sets.join(""),
    );
    hls.files.set("/main.mpd", text);
    return new URL("/main.mpd", hls.origin);
  },
};

function serveSounds(): void {
  for (const name of SOUNDS)
    for (const file of ["index.m3u8", "init.mp4", "0.m4s", "1.m4s", "2.m4s", "3.m4s"])
      hls.files.set(`/${name}/${file}`, hls.files.get(`/audio/${file}`) as Uint8Array);
}

describe.each(Object.entries(forms))("of %s", (_, serve) => {
  test("inspectHls() lists the languages, the default one first, and the subtitles", async () => {
    serveSounds();
    const { languages, subtitles } = await inspectHls(serve());
    expect(languages).toEqual([
      { id: "en", tag: "en", name: "English" },
      { id: "de", tag: "de", name: "Deutsch" },
      { id: "commentary", tag: "de", name: "commentary" },
    ]);
    expect(subtitles).toEqual([
      { id: "en", tag: "en", name: "English" },
      { id: "fr", tag: "fr", name: "Français" },
    ]);
  });

  test.each([
    ["the default one", undefined, "en"],
    ["another one", "de", "de"],
    ["one of two with the same tag", "commentary", "de-commentary"],
  ])(
    "openHls() takes %s and no piece of another, and tells what it leaves out",
    async (_, language, folder) => {
      serveSounds();
      const address = serve();
      const left: string[] = [];
      const onLeftOut = ({ languages, subtitles }: Pick<HlsVideo, "languages" | "subtitles">) =>
        left.push(...[...languages, ...subtitles].map(({ id }) => id));
      await expectOriginal(await bytesOf(await openHls(address, { language, quality, onLeftOut })));
      const others = ["en", "de", "commentary"].filter((id) => id !== (language ?? "en"));
      expect(left.toSorted()).toEqual([...others, "en", "fr"].toSorted());
      const sound = hls.requests.filter((path) => /\/(en|de|de-commentary)\/\d\.m4s$/.test(path));
      expect(new Set(sound.map((path) => path.split("/")[1]))).toEqual(new Set([folder]));
    },
  );

  test("openHls() refuses one that isn't there, with those that are", async () => {
    serveSounds();
    const error = await caught(openHls(serve(), { language: "fr" }));
    expect(error).toMatchObject({ code: "invalid-option" });
    expect(error.message).toMatch(/language is "fr", expected (("en"|"de"|"commentary")( or )?){3}$/);
  });

  test("a video is another one in another language, though both sound alike", async () => {
    serveSounds();
    const identityOf = async (language?: string) =>
      await ((await openHls(serve(), { language, quality })) as ReadableSource).identity();
    expect(await identityOf("en")).toBe(await identityOf());
    expect(await identityOf("de")).not.toBe(await identityOf());
  });
});

test("a quality that lacks the chosen language is passed over, and says so where it is asked for", async () => {
  serveSounds();
  const address = forms.HLS?.() as URL;
  await openHls(address, { language: "de" });
  expect(hls.requests.filter((path) => path.endsWith(".ts"))).toEqual([]);
  const error = await caught(openHls(address, { language: "de", quality: "180p-99000" }));
  expect(error).toMatchObject({ code: "unsupported-video" });
  expect(error.message).toContain("no sound in the language that was chosen");
});

test("a video that names no language refuses any", async () => {
  const error = await caught(openHls(new URL("/ts/index.m3u8", hls.origin), { language: "en" }));
  expect(error.message).toContain("the video names none");
});
