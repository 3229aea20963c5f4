/** Which pieces a DASH manifest stands for, in each way in which it may say so. */
import { describe, expect, test } from "vitest";
import { inspectHls, openHls } from "../../core/hls/mod.ts";
import { createClient, upload } from "../../core/mod.ts";
import { caught } from "../caught.ts";
import { byIndex, byTimeline, type Kind, manifest, mpd, period, template } from "../dash-manifest.ts";
import { expectOriginal, hashOf } from "../hls-original.ts";
import { sample } from "../hls-server.ts";
import { useService } from "../service/use-service.ts";
import { useHls } from "../use-hls.ts";

const service = useService();
const hls = useHls();

const client = () => createClient({ baseUrl: service.baseUrl, token: service.token });
const address = () => new URL("/launch/manifest.mpd", hls.origin);
const put = (text: string) => hls.files.set("/launch/manifest.mpd", text);
/** In no order: several are asked for at once. */
const pieces = () => hls.requests.filter((path) => path.endsWith(".m4s")).sort();

async function uploaded(text: string): Promise<Uint8Array> {
  put(text);
  const { asset } = await upload(client(), await openHls(address()));
  await service.whole(asset.id);
  return new Uint8Array(await (await fetch(String(asset.downloadUrl))).arrayBuffer());
}

const timeline = (entries: string, more = "") =>
  template(`timescale="1000" ${more}`, `<SegmentTimeline>${entries}</SegmentTimeline>`);

describe("every piece arrives", () => {
  test.each<[string, (kind: Kind) => string]>([
    ["a piece is repeated to the end", timeline('<S t="0" d="2000" r="-1"/>')],
    [
      "times begin somewhere else, and a piece is repeated to the end",
      timeline('<S t="4000" d="2000" r="-1"/>', 'presentationTimeOffset="4000"'),
    ],
    [
      "a piece is repeated to the next one that has a time",
      (kind) =>
        timeline(`<S t="0" d="2000" r="-1"/><S t="6000" d="22"/>`)(kind).replace(
          kind === "video" ? '<S t="6000" d="22"/>' : "",
          "",
        ),
    ],
    [
      "the number of the last one is told",
      (kind) => template(`timescale="1000" duration="2000" endNumber="${kind === "audio" ? 3 : 2}"`)(kind),
    ],
    ["the set has a timeline of its own, which doesn't count", byTimeline],
  ])("where %s", async (words, segments) => {
    const outer =
      '<SegmentTemplate><SegmentTimeline><S t="0" d="2000" r="9"/></SegmentTimeline></SegmentTemplate>';
    const set = words.startsWith("the set") ? outer : "";
    await expectOriginal(await uploaded(manifest(segments, { set })));
  });

  test("where the first number and the last one are told", async () => {
    for (const [at, name] of ["video", "audio"].flatMap((kind) => [0, 1, 2].map((at) => [at, kind] as const)))
      hls.files.set(`/${name}/${at + 5}.m4s`, sample(`${name}-${at}.m4s`));
    const numbered = (kind: Kind) =>
      template('timescale="1000" duration="2000" endNumber="7"')(kind).replace(
        'startNumber="0"',
        'startNumber="5"',
      );
    put(manifest(numbered));
    await hashOf(await openHls(address()));
    expect(pieces()).toEqual(
      ["audio", "video"].flatMap((kind) => [5, 6, 7].map((at) => `/${kind}/${at}.m4s`)),
    );
  });

  test("where times have more digits than a number of JavaScript", async () => {
    const begin = 16_000_000_000_000_001n;
    for (const kind of ["video", "audio"])
      for (const at of [0, 1, 2])
        hls.files.set(`/${kind}/${begin + 2000n * BigInt(at)}.m4s`, sample(`${kind}-${at}.m4s`));
    const timed = (kind: Kind) =>
      timeline(
        `<S t="${begin}" d="2000" r="2"/>`,
        `presentationTimeOffset="${begin}"`,
      )(kind).replace("$Number$", "$Time$");
    put(manifest(timed));
    await hashOf(await openHls(address()));
    expect(pieces()).toContain(`/video/${begin + 4000n}.m4s`);
  });

  test("where numbers are filled up, and ids and dollars are a part of addresses", async () => {
    hls.files.set("/video$48000/00000.m4s", sample("video-0.m4s"));
    const padded = (kind: Kind) =>
      `<SegmentTemplate initialization="../$RepresentationID$/init.mp4" media="../$RepresentationID$$$$Bandwidth$/$Number%05d$.m4s" startNumber="0" timescale="1000"><SegmentTimeline><S d="${kind === "video" ? 6000 : 6001}"/></SegmentTimeline></SegmentTemplate>`;
    put(manifest(padded));
    await caught(openHls(address()));
    expect(pieces()).toEqual(["/audio$48000/00000.m4s", "/video$48000/00000.m4s"]);
  });

  test("of a file with an index that doesn't say how it is read", async () => {
    const segments = byIndex(hls);
    await expectOriginal(
      await uploaded(manifest((kind) => segments(kind).replace(/<Initialization[^>]*>/, ""))),
    );
  });
});

describe("one piece less than computed from lengths", () => {
  const byLength = manifest(template('timescale="1000" duration="2000"'));

  test("may be there beside subtitles that are one file", async () => {
    const texts = `<AdaptationSet contentType="text" mimeType="text/vtt" lang="en">
      <Representation id="t" bandwidth="100"><BaseURL>t.vtt</BaseURL></Representation></AdaptationSet></Period>`;
    await expectOriginal(await uploaded(byLength.replace("</Period>", texts)));
  });

  test.each([403, 404, 410])("may be there on a store that answers %i for what isn't", async (status) => {
    hls.habits.set("/video/3.m4s", { status });
    await expectOriginal(await uploaded(byLength));
  });

  test("may not be there once the signature of all has expired", async () => {
    put(byLength);
    const video = await openHls(address());
    for (const name of ["init.mp4", "3.m4s"]) hls.habits.set(`/video/${name}`, { status: 403 });
    const error = await caught(upload(client(), video));
    expect(error).toMatchObject({ code: "source-refused", httpStatus: 403 });
  });

  test("may not be there where it is another than the last one", async () => {
    hls.habits.set("/video/2.m4s", { status: 403 });
    put(byLength);
    const error = await caught(upload(client(), await openHls(address())));
    expect(error).toMatchObject({ code: "source-refused", httpStatus: 403 });
  });
});

describe("one long piece less than computed from lengths", () => {
  /** Of 7.5 seconds, though nothing plays longer than six: the fourth piece would be one of 1.5 seconds. */
  const longer = (segments: (kind: Kind) => string = template('timescale="1000" duration="2000"')) =>
    mpd([period(segments, { attributes: 'duration="PT7.5S"' })], { duration: 7.5 });
  const failed = async (text: string) => {
    put(text);
    return await caught(upload(client(), await openHls(address())));
  };

  test("may be there of the pictures where the sound has it", async () => {
    await expectOriginal(await uploaded(longer()));
    expect(hls.requests).toContain("/video/3.m4s");
  });

  test("may be there of the sound where the pictures have it", async () => {
    hls.files.set("/video/3.m4s", sample("video-2.m4s"));
    hls.files.delete("/audio/3.m4s");
    expect((await uploaded(longer())).length).toBeGreaterThan(0);
  });

  test("may not be there of both", async () => {
    hls.files.delete("/audio/3.m4s");
    const error = await failed(longer());
    expect(error).toMatchObject({ code: "source-unreadable" });
    expect(error.message).toContain("neither its pictures nor its sound are there");
  });

  test("may not be there where the other's pieces end before it", async () => {
    hls.files.delete("/audio/3.m4s");
    const listed = timeline('<S t="0" d="2000" r="2"/>');
    const error = await failed(
      longer((kind) => (kind === "video" ? listed : template('timescale="1000" duration="2000"'))(kind)),
    );
    expect(error).toMatchObject({ code: "source-unreadable" });
    expect(error.message).toContain("it isn't there");
  });

  test("may not be there of pictures without sound of their own", async () => {
    const text = longer().replace(/<AdaptationSet contentType="audio".*?<\/AdaptationSet>/s, "");
    expect(await failed(text)).toMatchObject({ code: "source-refused", httpStatus: 404 });
  });
});

/** A set of pictures in two qualities, whose pieces lie in folders of their own. */
const shared = (segments: string, own: (id: string) => string = () => "") =>
  mpd(
    [
      `<Period duration="PT6S"><AdaptationSet mimeType="video/mp4">${segments}${[90, 180]
        .map(
          (height) =>
            `<Representation id="${height}" bandwidth="1000" width="${(height / 9) * 16}" height="${height}"><BaseURL>${height}/</BaseURL>${own(String(height))}</Representation>`,
        )
        .join("")}</AdaptationSet></Period>`,
    ],
    { duration: 6 },
  );

describe("qualities share what is said of all of them", () => {
  test.each([
    [
      "by a list",
      `<SegmentList duration="2"><Initialization sourceURL="init.mp4"/>${[0, 1, 2].map((at) => `<SegmentURL media="${at}.m4s"/>`).join("")}</SegmentList>`,
    ],
    [
      "by a list with a timeline",
      `<SegmentList><Initialization sourceURL="init.mp4"/><SegmentTimeline><S d="2" r="2"/></SegmentTimeline>${[0, 1, 2].map((at) => `<SegmentURL media="${at}.m4s"/>`).join("")}</SegmentList>`,
    ],
    [
      "by a template",
      '<SegmentTemplate duration="2" startNumber="0" media="$Number$.m4s" initialization="init.mp4"/>',
    ],
  ])("%s", async (_, segments) => {
    put(shared(segments));
    const { qualities } = await inspectHls(address());
    expect(qualities).toMatchObject([
      { id: "180p-1000", duration: 6000, problem: undefined },
      { id: "90p-1000", duration: 6000, problem: undefined },
    ]);
  });

  test("and one of them says it otherwise", async () => {
    const all =
      '<SegmentTemplate timescale="1000" media="$Number$.m4s"><SegmentTimeline><S d="2000" r="2"/></SegmentTimeline></SegmentTemplate>';
    put(
      shared(all, (id) =>
        id === "90"
          ? '<SegmentTemplate><SegmentTimeline><S d="1000" r="5"/></SegmentTimeline></SegmentTemplate>'
          : "",
      ),
    );
    const { qualities } = await inspectHls(address());
    expect(qualities).toMatchObject([{ duration: 6000 }, { duration: 6000 }]);
  });
});

test("of sound, the one with the role of the main one is taken, in its best quality", async () => {
  const sound = (language: string, bandwidth: number, path: string, role = "main") =>
    `<AdaptationSet mimeType="audio/mp4" lang="${language}"><Role schemeIdUri="urn:mpeg:dash:role:2011" value="${role}"/>
      <Representation bandwidth="${bandwidth}" codecs="mp4a.40.2">${byTimeline("audio").replaceAll("../audio", path)}</Representation></AdaptationSet>`;
  const others =
    sound("en", 90_000, "/description", "description") +
    sound("en", 20_000, "/small") +
    sound("fr", 90_000, "/fr");
  const text = manifest(byTimeline).replace(/(?=<AdaptationSet contentType="audio")/, others);
  const role = '<Role schemeIdUri="urn:mpeg:dash:role:2011" value="main"/>';
  await expectOriginal(await uploaded(text.replace(/(?<=<AdaptationSet contentType="audio"[^>]*>)/, role)));
});

test("of addresses of equal rank the first one is taken", async () => {
  hls.files.set("/other/video/0.m4s", "no video");
  const text = manifest(
    (kind) => `<BaseURL>/launch/</BaseURL>${"<BaseURL>/other/</BaseURL>".repeat(8)}${byTimeline(kind)}`,
  );
  await expectOriginal(await uploaded(text));
});

describe("what can't be read of a quality is told, and hides no other one", () => {
  const good =
    '<SegmentTemplate duration="2" startNumber="0" media="/video/$Number$.m4s" initialization="/video/init.mp4"/>';
  const entry = (more: string, segments: string) =>
    `<AdaptationSet ${more}><Representation id="b" bandwidth="9000" width="320" height="180">${segments}</Representation></AdaptationSet>`;
  const mp4 = 'mimeType="video/mp4"';

  test.each<[string, string, string]>([
    [
      "of another format",
      entry('mimeType="video/webm"', good),
      "in a format that isn't read here, or that MP4 doesn't hold (video/webm)",
    ],
    ["of unknown codecs", entry(`${mp4} codecs="vvc1.1"`, good), "doesn't hold (vvc1.1)"],
    ["of one file", entry(mp4, "<BaseURL>all.mp4</BaseURL>"), "names a file without the index of its pieces"],
    [
      "of a file without an index",
      entry(mp4, "<BaseURL>all.mp4</BaseURL><SegmentBase/>"),
      "names a file without the index of its pieces",
    ],
    [
      "of a range that is none",
      entry(mp4, '<SegmentList duration="6"><SegmentURL mediaRange="5-2"/></SegmentList>'),
      'names mediaRange="5-2", expected the first and the last byte of a range',
    ],
    [
      "of an index that is none",
      entry(mp4, '<BaseURL>a.mp4</BaseURL><SegmentBase indexRange="9"/>'),
      'names indexRange="9", expected',
    ],
    [
      "of a template without addresses",
      entry(mp4, '<SegmentTemplate duration="2"/>'),
      "names no pieces of it",
    ],
    [
      "of a list without lengths",
      entry(mp4, '<SegmentList><SegmentURL media="1"/><SegmentURL media="2"/></SegmentList>'),
      "doesn't say how long its pieces are",
    ],
    [
      "of numbers without lengths",
      entry(mp4, '<SegmentTemplate media="$Number$" endNumber="9"/>'),
      "doesn't say how long its pieces are",
    ],
    [
      "of an empty timeline",
      entry(mp4, '<SegmentTemplate media="$Number$"><SegmentTimeline/></SegmentTemplate>'),
      "lists pieces of 0 sec for 6 sec of video",
    ],
    [
      "of a timescale of nothing",
      entry(mp4, good.replace("duration", 'timescale="0" duration')),
      'names timescale="0"',
    ],
    [
      "of a length that is no number",
      entry(mp4, good.replace('"2"', '"2.5"')),
      'names duration="2.5", expected a whole number',
    ],
  ])("%s", async (_, bad, words) => {
    put(
      mpd(
        [
          `<Period duration="PT6S">${bad}<AdaptationSet ${mp4}><Representation id="a" bandwidth="8000" width="160" height="90" codecs="avc1.64000b">${good}</Representation></AdaptationSet></Period>`,
        ],
        { duration: 6 },
      ),
    );
    const { qualities } = await inspectHls(address());
    expect(qualities).toMatchObject([
      { id: "180p-9000", size: undefined, problem: { code: "unsupported-video" } },
      { id: "90p-8000", problem: undefined },
    ]);
    expect(qualities[0]?.problem?.message).toContain(words);
    await hashOf(await openHls(address()));
    expect(pieces()).toEqual(["/video/0.m4s", "/video/1.m4s", "/video/2.m4s"]);
  });

  test("of two that differ in nothing but their format, the one that can be read is taken", async () => {
    const each = (type: string) =>
      `<AdaptationSet mimeType="${type}"><Representation bandwidth="8000" width="160" height="90">${good}</Representation></AdaptationSet>`;
    put(mpd([`<Period duration="PT6S">${each("video/webm")}${each("video/mp4")}</Period>`], { duration: 6 }));
    const { qualities } = await inspectHls(address());
    expect(qualities).toMatchObject([{ id: "90p-8000", problem: undefined }]);
  });

  test("a timeline that isn't one refuses it all, since all may share it", async () => {
    put(manifest(timeline('<S d="1.5"/>')));
    const error = await caught(openHls(address()));
    expect(error).toMatchObject({ code: "unsupported-video" });
    expect(error.message).toContain('its manifest names d="1.5", expected a whole number');
  });

  test("a bandwidth that is no number stands in no address", async () => {
    const media = 'media="$Bandwidth$.m4s"';
    put(
      manifest((kind) => template('duration="6"')(kind).replace(/media="[^"]*"/, media)).replaceAll(
        '"48000"',
        '"x"',
      ),
    );
    await caught(openHls(address()));
    expect(pieces()).toEqual(["/launch/0.m4s"]);
  });

  test("sound that can't be read is taken neither as the best nor as the default", async () => {
    const sound = (more: string, language: string, bandwidth: number) =>
      `<AdaptationSet contentType="audio" mimeType="audio/mp4" lang="${language}"><Representation bandwidth="${bandwidth}" ${more}>${byTimeline("audio")}</Representation></AdaptationSet>`;
    const ac4 = sound('codecs="ac-4.02.01.03"', "de", 90_000);
    const webm = sound('mimeType="audio/webm" codecs="opus"', "en", 90_000);
    await expectOriginal(
      await uploaded(manifest(byTimeline).replace(/(?=<AdaptationSet contentType="audio")/, ac4 + webm)),
    );
    put(manifest(byTimeline).replace(/<AdaptationSet contentType="audio".*<\/AdaptationSet>/s, webm));
    const error = await caught(openHls(address()));
    expect(error).toMatchObject({ code: "unsupported-video" });
    expect(error.message).toContain("(audio/webm)");
  });

  test("protected is a quality wherever the manifest says so", async () => {
    put(
      manifest(
        (kind) =>
          `<ContentProtection schemeIdUri="urn:mpeg:dash:mp4protection:2011" value="cenc"/>${byTimeline(kind)}`,
      ),
    );
    expect(await caught(openHls(address()))).toMatchObject({ code: "protected-video" });
  });
});
