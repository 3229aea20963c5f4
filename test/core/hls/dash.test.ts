/** Which pieces a DASH manifest stands for, in each way in which it may say so, and the one file they become. */
import { describe, expect, test } from "vitest";
import { readDash } from "../../../core/hls/dash.ts";
import { inspectHls, openHls } from "../../../core/hls/mod.ts";
import { fetchingOf } from "../../../core/hls/options.ts";
import type { Piece } from "../../../core/hls/playlist.ts";
import { caught } from "../../support/caught.ts";
import * as dash from "../../support/hls/dash-manifest.ts";
import { bytesOf, expectOriginal, readOriginal, readTracks } from "../../support/hls/hls-original.ts";
import { sample } from "../../support/hls/hls-server.ts";
import { useHls } from "../../support/hls/use-hls.ts";
import { MARKER } from "../../support/marker.ts";

const { byTimeline, ENTRIES, manifest, mpd, numbersOf, period, template, timeline } = dash;
type Segments = dash.Segments;

const hls = useHls();
const byIndex: Segments = (kind) => dash.byIndex(hls)(kind);
const byLength = template('timescale="1000" duration="2000"');
const ONE_MORE = "0 1 2 3?? / 0 1 2 3??";
const entriesOf = (entries: string) => `<SegmentTimeline>${entries}</SegmentTimeline>`;
const byList =
  (more = 'duration="2"', inner: Segments = () => ""): Segments =>
  (kind) =>
    `<SegmentList ${more}><Initialization sourceURL="/${kind}/init.mp4"/>${inner(kind)}${numbersOf(kind)
      .map((at) => `<SegmentURL media="/${kind}/${at}.m4s"/>`)
      .join("")}</SegmentList>`;
const lasting = (seconds: number, segments: Segments) =>
  period(segments, { attributes: `duration="PT${seconds}S"` });
const alone = (duration: number, segments: Segments) => mpd([lasting(duration, segments)], { duration });
/** A file with an index whose clock shows so many milliseconds when the Period begins. */
const indexFrom =
  (offset: number): Segments =>
  (kind) =>
    byIndex(kind).replace("<SegmentBase", `$& timescale="1000" presentationTimeOffset="${offset}"`);
const withoutSound = (text: string) =>
  text.replace(/<AdaptationSet contentType="audio".*?<\/AdaptationSet>/s, "");
const withoutPictures = (text: string) =>
  text.replace(/<AdaptationSet contentType="video".*?<\/AdaptationSet>/s, "");

const address = () => new URL(`/launch/manifest.mpd?signature=${MARKER}`, hls.origin);
const put = (text: string) => hls.files.set("/launch/manifest.mpd", text);
const open = async (text: string) => {
  put(text);
  return await openHls(address());
};
const bytesIn = async (text: string) => await bytesOf(await open(text));
const failureOf = (text: string) => caught(bytesIn(text));
const qualitiesIn = async (text: string) => {
  put(text);
  return (await inspectHls(address())).qualities;
};
/** Pieces that were asked for, in no order: several are at once. */
const asked = () => hls.requests.filter((path) => path.endsWith(".m4s")).sort();

/** A piece by its path; the samples by their numbers, ranges too. What may be missing bears a question mark. */
function nameOf({ href, range, mayBeMissing }: Piece): string {
  const { pathname } = new URL(href);
  const kind = pathname.includes("audio") ? "audio" : "video";
  const size = range && range.end - range.start;
  const at = numbersOf(kind).find((number) => sample(`${kind}-${number}.m4s`).length === size);
  const name = at ?? /^\/(?:video|audio)\/(.*)\.m4s$/.exec(pathname)?.[1] ?? pathname;
  return `${name}${mayBeMissing === undefined ? "" : mayBeMissing === "always" ? "??" : "?"}`;
}

/** The pieces of a quality and of its sound, Period by Period. */
async function listed(text: string, quality = 0): Promise<string> {
  const { variants, renditions, piecesOf } = readDash(text, address());
  const how = fetchingOf(address(), {}, new AbortController().signal);
  const lanes = [variants[quality], renditions[0]].flatMap((offered) => offered ?? []);
  const names = lanes.map(async (offered) => {
    const { pieces, problem } = await piecesOf(offered, renditions[0], how);
    const inRuns = pieces.map((piece, at) => {
      const isNext = at > 0 && piece.run !== pieces[at - 1]?.run;
      return `${isNext ? "| " : ""}${nameOf(piece)}`;
    });
    return problem?.message ?? inRuns.join(" ");
  });
  return (await Promise.all(names)).join(" / ");
}

const ALL = "0 1 2 / 0 1 2 3";
const ALL_TWICE = "0 1 2 | 0 1 2 / 0 1 2 3 | 0 1 2 3";
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at).join(" ");

test("the last piece of a list may be shorter than all of them are told to be", async () => {
  await expectOriginal(await bytesIn(manifest(byList())));
});

test("a timeline that begins anywhere names the whole video", async () => {
  const text = manifest((kind) => byTimeline(kind).replace('t="0"', 't="86400000"'));
  const { variants, renditions, piecesOf } = readDash(text, address());
  const how = fetchingOf(address(), {}, new AbortController().signal);
  const lists = await Promise.all(variants.map((variant) => piecesOf(variant, renditions[0], how)));
  expect(lists.map(({ isPart }) => isPart)).toEqual(lists.map(() => false));
});

describe("a manifest lists its pieces", () => {
  const REPEATED = '<S t="0" d="2000" r="-1"/>';
  const TOO_LONG = `<SegmentTemplate>${entriesOf('<S t="0" d="2000" r="9"/>')}</SegmentTemplate>`;
  const BIG = 16_000_000_000_000_001n;
  const big = timeline(`<S t="${BIG}" d="2000" r="2"/>`, `presentationTimeOffset="${BIG}"`);
  const numbered = template('timescale="1000" duration="2000" endNumber="7"');
  const padded = 'media="../$RepresentationID$$$$Bandwidth$/$Number%05d$.m4s" startNumber="0"';
  const texts =
    '<AdaptationSet mimeType="text/vtt"><Representation id="t"><BaseURL>t.vtt</BaseURL></Representation></AdaptationSet>';
  const nothing = '<Period xlink:href="urn:mpeg:dash:resolve-to-zero:2013"/><Period duration="PT0S"/>';
  const ofPieces = (video: number, audio: number) =>
    alone(60, (kind) => timeline(`<S d="2000" r="${(kind === "video" ? video : audio) - 1}"/>`)(kind));

  test.each<[string, string | Segments, string]>([
    ["by a timeline", byTimeline, ALL],
    ["by a timeline in place of the set's", manifest(byTimeline, { set: TOO_LONG }), ALL],
    ["by a timeline from anywhere", (kind) => byTimeline(kind).replace('t="0"', 't="86400000"'), ALL],
    ["by a piece repeated to the end", timeline(REPEATED), ONE_MORE],
    [
      "by a piece repeated to the end, where times begin somewhere else",
      timeline(REPEATED.replace('"0"', '"4000"'), 'presentationTimeOffset="4000"'),
      ONE_MORE,
    ],
    ["by a piece repeated to the next", timeline(`${REPEATED}<S t="6000" d="22"/>`), "0 1 2 3 / 0 1 2 3"],
    [
      "by times of more digits than a number of JavaScript has",
      (kind) => (kind === "video" ? big(kind).replace("$Number$", "$Time$") : byTimeline(kind)),
      `${BIG} ${BIG + 2000n} ${BIG + 4000n} / 0 1 2 3`,
    ],
    ["by lengths, which may make one too many", byLength, ONE_MORE],
    [
      "by lengths beside texts in one file",
      manifest(byLength).replace("</Period>", `${texts}</Period>`),
      ONE_MORE,
    ],
    ["by lengths that don't divide it", template('timescale="1000" duration="2010"'), "0 1 2? / 0 1 2?"],
    ["by both numbers", (kind) => numbered(kind).replace('"0"', '"5"'), "5 6 7 / 5 6 7"],
    [
      "by numbers that are filled up, ids and dollars",
      () => `<SegmentTemplate ${padded}>${entriesOf('<S d="6"/>')}</SegmentTemplate>`,
      "/video$48000/00000.m4s / /audio$48000/00000.m4s",
    ],
    ["by a list, all of which counts", byList(), ALL],
    [
      "at the first of several addresses",
      (kind) => `<BaseURL>/launch/</BaseURL><BaseURL>/other/x/</BaseURL>${byTimeline(kind)}`,
      ALL,
    ],
    ["Period by Period", manifest(byTimeline, { periods: 2 }), ALL_TWICE],
    [
      "at an address of each Period",
      mpd(["/a/x/", "/x/"].map((at) => period(byTimeline, { more: `<BaseURL>${at}</BaseURL>` }))),
      "/a/video/0.m4s /a/video/1.m4s /a/video/2.m4s | 0 1 2 / " +
        "/a/audio/0.m4s /a/audio/1.m4s /a/audio/2.m4s /a/audio/3.m4s | 0 1 2 3",
    ],
    [
      "of Periods whose ids are their own",
      mpd(["a", "b"].map((prefix) => period(byTimeline, { prefix }))),
      ALL_TWICE,
    ],
    [
      "of Periods that tell when they begin, and not how long they are",
      mpd([0, 6.021].map((at) => period(byLength, { attributes: `start="PT${at}S"` }))),
      "0 1 2 3?? | 0 1 2 3?? / 0 1 2 3?? | 0 1 2 3??",
    ],
    [
      "of Periods, one of which repeats a piece to its end",
      mpd([period(timeline(REPEATED)), period(byTimeline)]),
      "0 1 2 3?? | 0 1 2 / 0 1 2 3?? | 0 1 2 3",
    ],
    [
      "beside empty Periods",
      mpd([period(byTimeline), nothing, period(byTimeline)], { duration: 12.042 }),
      ALL_TWICE,
    ],
    [
      "with a gap that a timeline tells",
      alone(32, timeline('<S t="0" d="2000" r="1"/><S t="30000" d="2000"/>')),
      "0 1 2 / 0 1 2",
    ],
    ["whose sound ends earlier", ofPieces(30, 28), `${upTo(30)} / ${upTo(28)}`],
    ["whose pictures end earlier", ofPieces(26, 30), `${upTo(26)} / ${upTo(30)}`],
  ])("%s", async (_, given, names) => {
    expect(await listed(typeof given === "string" ? given : manifest(given))).toBe(names);
  });

  test("of sound, in the best quality of the one with the role of the main one that can be read", async () => {
    const sound = (path: string, bandwidth: number, more = "", role = "main") =>
      `<AdaptationSet contentType="audio" mimeType="audio/mp4" lang="${path}"><Role value="${role}"/>
      <Representation bandwidth="${bandwidth}" ${more}>${byTimeline("audio").replaceAll("../audio", `/${path}`)}</Representation></AdaptationSet>`;
    const webm = sound("webm", 90_000, 'mimeType="audio/webm" codecs="opus"');
    const sets = [
      sound("en", 90_000, "", "description"),
      sound("ac4", 90_000, 'codecs="ac-4.02.01.03"'),
      webm,
      sound("en", 20_000).replaceAll("/en/", "/small/"),
      sound("en", 40_000),
      sound("fr", 95_000),
    ];
    const offered = (sounds: string) =>
      withoutSound(manifest(byTimeline)).replace("</Period>", `${sounds}</Period>`);
    expect(await listed(offered(sets.join("")))).toMatch(/ \/ \/en\/0\.m4s /);
    expect(await listed(offered(webm))).toContain("(audio/webm)");
  });
});

describe.each<[string, (offset: number) => Segments]>([
  ["an index", indexFrom],
  ["a timeline", (offset) => (kind) => timeline(ENTRIES[kind], `presentationTimeOffset="${offset}"`)(kind)],
  [
    "a list with a timeline",
    (offset) =>
      byList(`timescale="1000" presentationTimeOffset="${offset}"`, (kind) => entriesOf(ENTRIES[kind])),
  ],
])("where Periods name the same pieces by %s", (_, segments) => {
  /** Periods of so many seconds each, which begin at that time of the pieces, or are of something else. */
  const parts = async (...each: [seconds: number, from?: number][]) => {
    const periods = each.map(([seconds, from]) =>
      lasting(seconds, from === undefined ? byTimeline : segments(from)),
    );
    const duration = each.reduce((sum, [seconds]) => sum + seconds, 0);
    return (await listed(mpd(periods, { duration }))).split(" / ")[0];
  };

  test("each piece is taken as often as it plays", async () => {
    // An advertisement may come between them.
    expect(await parts([4, 0], [6.021], [2.021, 4000])).toBe("0 1 | 0 1 2 | 2");
    // One piece plays in both of them.
    expect(await parts([3, 0], [3.021, 3000])).toBe("0 1 | 2");
    expect(await parts([2, 2000], [2, 2000])).toBe("1 | 1");
    // Neighbours play for less than a hundredth of a second in it.
    expect(await parts([2.003, 1998])).toBe("1");
  });

  test("each of them is in the file once", async () => {
    const text = mpd([lasting(4, segments(0)), lasting(2.021, segments(4000))], { duration: 6.021 });
    expect(await listed(text)).toBe("0 1 | 2 / 0 1 | 2 3");
    await expectOriginal(await bytesIn(text));
  });
});

describe("what a manifest names becomes one file", () => {
  test.each<[string, Segments]>([
    ["by a timeline", byTimeline],
    ["by files with an index", byIndex],
    ["by files with an index of further ones", (kind) => dash.byIndexes(hls)(kind)],
    ["by an index alone", (kind) => byIndex(kind).replace(/<Initialization[^>]*>/, "")],
    ["by lengths that make one piece more than there is", byLength],
  ])("%s", async (_, segments) => {
    const source = await open(manifest(segments));
    expect(source).toMatchObject({ name: "launch.mp4" });
    await expectOriginal(await bytesOf(source));
    expect(new Set(hls.requests).size).toBe(hls.requests.length);
    expect(hls.mostAtOnce).toBeLessThanOrEqual(3);
  });

  test.each<[string, (prefix: string) => string]>([
    ["by lengths that make one piece more in each Period", (prefix) => period(byLength, { prefix })],
    [
      "by an index in one Period, and a timeline in the other",
      (prefix) => period(prefix === "a" ? byIndex : byTimeline, { prefix }),
    ],
  ])("%s", async (_, each) => {
    const tracks = await readTracks(await bytesIn(mpd(["a", "b"].map(each))));
    const original = await readOriginal();
    for (const [at, { packets, end }] of tracks.entries()) {
      const once = original[at]?.packets.map(({ data }) => data) ?? [];
      expect(packets.map(({ data }) => data).join() === [...once, ...once].join()).toBe(true);
      expect(end).toBeCloseTo(12.04, 1);
    }
  });

  test("where the sound of a Period ends earlier", async () => {
    const short = timeline('<S t="0" d="2000"/>');
    const bytes = await bytesIn(manifest((kind) => (kind === "video" ? byIndex : short)(kind)));
    const ends = (await readTracks(bytes)).map(({ type, end }) => [type, Math.round(end)]);
    expect(ends).toEqual([
      ["video", 6],
      ["audio", 2],
    ]);
  });

  test.each([0, 2000])("of a part of a file, from %i ms on", async (offset) => {
    const [video] = await readTracks(await bytesIn(withoutSound(alone(2, indexFrom(offset)))));
    expect(video?.packets.length).toBe(60);
  });

  test.each([404, 403, 410])("on a store that answers %i for what isn't there", async (httpStatus) => {
    hls.habits.set("/video/3.m4s", { status: httpStatus });
    await expectOriginal(await bytesIn(manifest(byLength)));
    // But only the last one may be missing.
    hls.habits.set("/video/2.m4s", { status: httpStatus });
    expect(await failureOf(manifest(byLength))).toMatchObject({ code: "source-refused", httpStatus });
  });

  test("not once the signature of all has expired", async () => {
    for (const name of ["init.mp4", "3.m4s"]) hls.habits.set(`/video/${name}`, { status: 403 });
    expect(await caught(open(manifest(byLength)))).toMatchObject({ code: "source-refused", httpStatus: 403 });
  });
});

describe("of 7.5 seconds, though nothing plays longer than six, the piece that isn't there", () => {
  const longer = (segments: Segments = byLength) => alone(7.5, segments);

  test("may be one of pictures where the sound has it", async () => {
    await expectOriginal(await bytesIn(longer()));
    expect(asked()).not.toContain("/video/3.m4s");
    expect(hls.requests.filter((path) => path.startsWith("/video/3.m4s"))).toHaveLength(1);
  });

  test("may be one of sound where the pictures have it", async () => {
    hls.files.set("/video/3.m4s", sample("video-2.m4s"));
    hls.files.delete("/audio/3.m4s");
    expect((await bytesIn(longer())).length).toBeGreaterThan(0);
  });

  test("may be one of a server that gives no ranges", async () => {
    hls.habits.set("/audio/3.m4s", { status: 200, body: "no ranges", times: 1 });
    await expectOriginal(await bytesIn(longer()));
  });

  test.each<[string, string]>([
    ["both", longer()],
    [
      "the sound, where the pictures are listed and end before it",
      longer((kind) => (kind === "video" ? byTimeline : byLength)(kind)),
    ],
    ["pictures without sound of their own", withoutSound(longer())],
  ])("may not be one of %s, which is told before anything is sent", async (_, text) => {
    hls.files.delete("/audio/3.m4s");
    const error = await caught(open(text));
    expect(error).toMatchObject({ name: "InputError", code: "unsupported-video" });
    expect(error.message).toContain("its last piece isn't there");
  });
});

describe("inspectHls() tells of a manifest", () => {
  test("what it offers", async () => {
    const size = { width: 160, height: 90, bitrate: 48_000, duration: 6022 };
    const all = [{ id: "90p-48000", ...size, live: false, problem: undefined }];
    expect(await qualitiesIn(manifest(byTimeline))).toMatchObject(all);
    expect(hls.requests).toEqual(["/launch/manifest.mpd"]);
  });

  const names = [0, 1, 2].map((at) => `<SegmentURL media="${at}.m4s"/>`).join("");
  const halves = `<SegmentTemplate>${entriesOf('<S d="1" r="5"/>')}</SegmentTemplate>`;
  test.each<[string, string, string?]>([
    ["a list", `<SegmentList duration="2">${names}</SegmentList>`],
    ["a list with a timeline", `<SegmentList>${entriesOf('<S d="2" r="2"/>')}${names}</SegmentList>`],
    ["a template", '<SegmentTemplate duration="2" media="$Number$.m4s"/>'],
    [
      "a timeline, which one of them says otherwise",
      `<SegmentTemplate media="$Number$.m4s">${entriesOf('<S d="2" r="2"/>')}</SegmentTemplate>`,
      halves,
    ],
  ])("qualities that share %s", async (_, segments, own = "") => {
    const quality = (height: number, more = "") =>
      `<Representation bandwidth="1" width="${2 * height}" height="${height}">${more}</Representation>`;
    const set = `<AdaptationSet mimeType="video/mp4">${segments}${quality(90, own)}${quality(180)}</AdaptationSet>`;
    const found = await qualitiesIn(mpd([`<Period duration="PT6S">${set}</Period>`], { duration: 6 }));
    const facts = { duration: 6000, problem: undefined };
    expect(found).toMatchObject([
      { id: "180p-1", ...facts },
      { id: "90p-1", ...facts },
    ]);
  });

  test("that a quality goes on with what is most like it, and the longest Period names them", async () => {
    const picture = (id: string, height: number, bandwidth: number, folder = id) =>
      `<Representation id="${id}" bandwidth="${bandwidth}" width="${(height / 9) * 16}" height="${height}" codecs="avc1.64000b">
        <SegmentTemplate duration="2" media="/${folder}/$Number$.m4s" initialization="/${folder}/init.mp4"/></Representation>`;
    const pictures = (seconds: number, ...each: string[]) =>
      `<Period duration="PT${seconds}S"><AdaptationSet mimeType="video/mp4">${each.join("")}</AdaptationSet></Period>`;
    const first = pictures(4, picture("1", 360, 600));
    const longest = pictures(60, picture("1", 180, 100), picture("2", 360, 500), picture("3", 720, 900));
    const like = [
      picture("3", 180, 100, "low"),
      picture("2", 720, 2000, "high"),
      picture("1", 720, 1000, "best"),
    ];
    const text = mpd([first, longest, pictures(4, ...like)], { duration: 68 });
    expect((await qualitiesIn(text)).map(({ id, duration }) => [id, duration])).toEqual([
      ["720p-900", 68_000],
      ["360p-500", 68_000],
      ["180p-100", 68_000],
    ]);
    expect(await listed(text, 2)).toMatch(/^\/1\/1.m4s .*\/3\/30\.m4s\? \| \/best\/1\.m4s/);
  });
});

describe("what can't be read of a quality is told, and hides no other one", () => {
  const good =
    '<SegmentTemplate duration="2" startNumber="0" media="/video/$Number$.m4s" initialization="/video/init.mp4"/>';
  const small = 'bandwidth="8000" width="160" height="90"';
  const large = 'bandwidth="9000" width="320" height="180"';
  const quality = (segments: string, size: string, type = "video/mp4", codecs = "avc1.64000b") =>
    `<AdaptationSet mimeType="${type}" codecs="${codecs}"><Representation ${size}>${segments}</Representation></AdaptationSet>`;
  const beside = (bad: string, other = quality(good, small)) =>
    mpd([`<Period duration="PT6S">${bad}${other}</Period>`], { duration: 6 });
  const multiplexed = quality(good, large, "application/mp4", "avc1.64000b,ac-4").replace(
    "<AdaptationSet",
    '$& contentType="multiplexed"',
  );
  const noFormat = "in a format that isn't read here, or that MP4 doesn't hold";
  const noIndex = "names a file without the index of its pieces";
  const noLengths = "doesn't say how long its pieces are";

  test.each<[string, string, string]>([
    ["another format", quality(good, large, "video/webm"), `${noFormat} (video/webm)`],
    ["unknown codecs", quality(good, large, "video/mp4", "vvc1.1"), `${noFormat} (vvc1.1)`],
    ["pictures that the codec alone tells", quality(good, large, "application/mp4", "vvc1.1"), "(vvc1.1)"],
    ["pictures beside their sound", multiplexed, "(ac-4)"],
    ["a layer of pictures", quality(good, `${large} dependencyId="0"`), "adds to another quality"],
  ])("of %s", async (_, bad, words) => {
    const [first, other] = await qualitiesIn(beside(bad));
    expect(first).toMatchObject({ id: "180p-9000", problem: { message: expect.stringContaining(words) } });
    expect(other).toMatchObject({ id: "90p-8000", problem: undefined });
  });

  test.each([
    ["sound in AC-4", "ac-4.02.01.00", "(ac-4.02.01.00)"],
    ["sound in MPEG-H", "mhm1.0x0C", "(mhm1.0x0C)"],
    ["sound in DTS", "dtsc", "(dtsc)"],
    ["subtitles", "stpp.ttml", undefined],
    ["data that belongs to a time", "mett", undefined],
  ])("of %s that the codec alone tells", async (_, codec, words) => {
    const [first] = await qualitiesIn(beside(quality(good, 'bandwidth="1"', "application/mp4", codec)));
    if (words === undefined) expect(first?.problem).toBeUndefined();
    else expect(first?.problem?.message).toContain(words);
  });

  test.each<[string, string, string]>([
    ["nothing", "", noIndex],
    ["a folder", "<BaseURL>all/</BaseURL>", noIndex],
    [
      "an index that is none",
      '<BaseURL>all.mp4</BaseURL><SegmentBase indexRange="9"/>',
      'names indexRange="9", expected',
    ],
    [
      "a range that is none",
      '<SegmentList duration="6"><SegmentURL mediaRange="5-2"/></SegmentList>',
      'names mediaRange="5-2", expected the first and the last byte of a range',
    ],
    [
      "an address of unknown parts",
      '<SegmentTemplate duration="2" media="$Number$-$SubNumber$.m4s"/>',
      "name $SubNumber$",
    ],
    [
      "an unknown property that is essential",
      `<EssentialProperty schemeIdUri="urn:mpeg:dash:urlparam:2014"/>${good}`,
      "EssentialProperty",
    ],
    ["a template without addresses", '<SegmentTemplate duration="2"/>', "names no pieces of it"],
    [
      "a list without lengths",
      `<SegmentList>${'<SegmentURL media="1"/>'.repeat(2)}</SegmentList>`,
      noLengths,
    ],
    ["numbers without lengths", '<SegmentTemplate media="$Number$" endNumber="9"/>', noLengths],
    [
      "an empty timeline",
      `<SegmentTemplate media="$Number$">${entriesOf("")}</SegmentTemplate>`,
      "lists pieces of 0 sec for 6 sec of video",
    ],
    ["a timescale of nothing", good.replace("duration", 'timescale="0" duration'), 'names timescale="0"'],
    ["no whole number", good.replace('"2"', '"2.5"'), 'names duration="2.5", expected a whole number'],
  ])("of %s", async (_, segments, words) => {
    const [bad, other] = await qualitiesIn(beside(quality(segments, large)));
    expect(bad).toMatchObject({ id: "180p-9000", size: undefined, problem: { code: "unsupported-video" } });
    expect(bad?.problem?.message).toContain(words);
    expect(other).toMatchObject({ id: "90p-8000", problem: undefined });
  });

  test("and the next one is taken", async () => {
    await bytesIn(beside(quality("", large, "video/webm")));
    expect(asked()).toEqual(["/video/0.m4s", "/video/1.m4s", "/video/2.m4s"]);
  });

  test("of two that differ in nothing but their format, the one that can be read is taken", async () => {
    const qualities = await qualitiesIn(beside(quality(good, small, "video/webm", "vp9")));
    expect(qualities).toMatchObject([{ id: "90p-8000", problem: undefined }]);
  });

  test("a bandwidth that is no number stands in no address", async () => {
    const text = manifest(() => '<SegmentTemplate duration="6" media="$Bandwidth$.m4s"/>');
    expect(await listed(text.replaceAll('"48000"', '"x"'))).toMatch(/^\/launch\/0\.m4s /);
  });
});

describe("a manifest is refused before anything else is asked for", () => {
  const away = 'xlink:href="http://ads.example/break?secret=1"';
  const elsewhere = "elements at other addresses (xlink)";
  const told = (have: number, of: number) =>
    `its manifest lists pieces of ${have} sec for ${of} sec of video`;
  const noTime = "expected more than 0";
  const counted = template('timescale="1000" duration="2000" endNumber="30"');
  const ofPieces =
    (video: number, audio: number): Segments =>
    (kind) =>
      `<SegmentList duration="2">${'<SegmentURL media="0.m4s"/>'.repeat(kind === "video" ? video : audio)}</SegmentList>`;
  const soundless: Segments = (kind) => timeline(kind === "audio" ? "" : ENTRIES.video)(kind);
  const live = 'type="dynamic" availabilityStartTime="1970-01-01T00:00:00Z"';
  const set =
    '<ContentProtection schemeIdUri="urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed"><cenc:pssh>AAAA</cenc:pssh></ContentProtection>';
  const whole = period(byTimeline);
  const silent = withoutSound(lasting(8, byLength));

  test.each<[string, string | Segments, string, string?]>([
    ["that is protected", manifest(byTimeline, { set }), "it is protected", "protected-video"],
    ["whose qualities are", (kind) => set + byTimeline(kind), "it is protected", "protected-video"],
    ["that is live", manifest(byLength, { root: live }), "it is a live stream", "live-stream"],
    ["without pictures", withoutPictures(manifest(byTimeline)), "it has no pictures"],
    ["a Period of which has none", mpd([whole, withoutPictures(whole)]), "a Period of it lacks pictures"],
    ["a short Period of which alone has sound", mpd([silent, whole], { duration: 14 }), "sound of its own"],
    ["with a Period at another address", mpd([whole, `<Period ${away} xlink:actuate="onLoad"/>`]), elsewhere],
    [
      "with one and something in its place",
      mpd([whole, period(byTimeline, { attributes: away })]),
      elsewhere,
    ],
    ["with a set there", mpd([`<Period duration="PT6S"><AdaptationSet ${away}/></Period>`]), elsewhere],
    ["with a Period longer than its timeline", timeline('<S t="0" d="1000" r="2"/>'), told(3, 6)],
    ["longer than its numbers", template('timescale="1" duration="1" endNumber="2"'), told(3, 6)],
    ["longer than its lists", alone(60, ofPieces(26, 25)), told(52, 60)],
    ["shorter than its lists", alone(20, ofPieces(30, 30)), told(60, 20)],
    ["shorter than its numbers", alone(6, counted), told(62, 6)],
    ["without pieces of sound", mpd([whole, lasting(6, soundless)], { duration: 12 }), told(0, 6)],
    ["longer than its Periods", mpd([whole], { duration: 60 }), told(6, 60)],
    ["shorter than its Periods", mpd([whole, whole], { duration: 6 }), told(12, 6)],
    ["with a timeline that is none", timeline('<S d="1.5"/>'), 'names d="1.5", expected a whole number'],
    ["of pieces of no time", template('duration="0"'), noTime],
    ["of pieces of less than no time", template('duration="-1"'), noTime],
    [
      "of an address of another scheme",
      () => '<BaseURL>file:///etc/</BaseURL><SegmentTemplate media="$Number$" duration="2"/>',
      'begins with "file:"',
    ],
    ["of nothing", () => "", "names a file without the index of its pieces"],
    ["that isn't whole", "<MPD><Period>", "can't be read"],
    ["without a Period", "<MPD></MPD>", "has no Period"],
    ["with rules of its own", `<!DOCTYPE MPD [<!ENTITY a "b">]>${manifest(byTimeline)}`, "can't be read"],
    ["that is a page to sign in", "<!doctype html><p>Sign in</p>", "an HTML page", "source-refused"],
    ["that is another kind of XML", '<?xml version="1.0"?><Error>no</Error>', "XML", "source-refused"],
  ])("%s", async (_, given, words, code = "unsupported-video") => {
    const error = await caught(open(typeof given === "string" ? given : manifest(given)));
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) });
    expect(error.message).not.toContain("ads.example");
    expect(hls.requests).toEqual(["/launch/manifest.mpd"]);
  });

  test("but for the index of a file, which is of a part of it", async () => {
    expect(await caught(open(alone(60, byIndex)))).toMatchObject({ code: "unsupported-video" });
  });
});
