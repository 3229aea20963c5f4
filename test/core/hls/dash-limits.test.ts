/** What a small DASH manifest may stand for is counted while it is made: the popup reads whatever a page names. */
import { describe, expect, test } from "vitest";
import { inspectHls, openHls } from "../../../core/hls/mod.ts";
import { LIMITS } from "../../../core/hls/playlist.ts";
import { readXml, UnreadableXml } from "../../../core/hls/xml.ts";
import { caught } from "../../support/caught.ts";
import { byIndex, mpd, sidx } from "../../support/hls/dash-manifest.ts";
import { useHls } from "../../support/hls/use-hls.ts";
import { inAll } from "../../support/in-all.ts";
import { expectLinear } from "../../support/linear-time.ts";

const hls = useHls();

const address = () => new URL("/launch/manifest.mpd", hls.origin);
const put = (text: string) => hls.files.set("/launch/manifest.mpd", text);
const qualitiesIn = async (text: string) => {
  put(text);
  return (await inspectHls(address())).qualities;
};

const representation = (at: number, { id = `r${at}`, inner = "" } = {}) =>
  `<Representation id="${id}" bandwidth="${1000 + at}" width="160" height="90">${inner}</Representation>`;
const set = (segments: string, count = 1, more = {}) =>
  `<AdaptationSet mimeType="video/mp4">${segments}${Array.from({ length: count }, (_, at) => representation(at, more)).join("")}</AdaptationSet>`;
const periodOf = (sets: string, seconds = 6) => `<Period duration="PT${seconds}S">${sets}</Period>`;
const one = (sets: string, seconds = 6) => mpd([periodOf(sets, seconds)], { duration: seconds });
const periods = (count: number, sets: string, seconds = 6) =>
  mpd(
    Array.from({ length: count }, () => periodOf(sets)),
    { duration: seconds },
  );
const template = (more: string, media = "$RepresentationID$/$Number$.m4s") =>
  `<SegmentTemplate media="${media}" initialization="i.mp4" ${more}/>`;
const timed = (entries: string, media = "$Number$.m4s") =>
  `<SegmentTemplate media="${media}"><SegmentTimeline>${entries}</SegmentTimeline></SegmentTemplate>`;
const nested = (depth: number) => `${"<MPD>".repeat(depth)}${"</MPD>".repeat(depth)}`;
const many = LIMITS.pieces + 10_000;

/** Why nothing of a manifest can be taken, or some of its qualities can't. */
async function problemOf(text: string): Promise<string> {
  expect(text.length).toBeLessThan(1_500_000);
  const found = await qualitiesIn(text).catch((error: unknown) => error);
  expect(hls.requests).toEqual(["/launch/manifest.mpd"]);
  if (found instanceof Error) {
    expect(found).toMatchObject({ name: "InputError", code: "unsupported-video" });
    return found.message;
  }
  const problems = (found as Awaited<ReturnType<typeof qualitiesIn>>).flatMap(({ problem }) => problem ?? []);
  expect(problems.every(({ code }) => code === "unsupported-video")).toBe(true);
  return problems.map(({ message }) => message).join("\n");
}

describe("refused are manifests that stand for more than anybody needs", () => {
  const tooMany = `over ${LIMITS.pieces} pieces`;
  const tooManyOfAll = "over 200000 pieces of all";
  const tooLong = "addresses that are too long";
  const text = `an address of over ${LIMITS.text} characters`;
  const list = `<SegmentList><SegmentTimeline><S d="1" r="${many}"/></SegmentTimeline><SegmentURL media="a"/></SegmentList>`;
  const ids = (times: number) => "$RepresentationID$".repeat(times);
  const base = (length: number, sign = "a") => `<BaseURL>/${sign.repeat(length)}/</BaseURL>`;
  const under = (above: string, manifest: string) => manifest.replace("<Period", `${above}<Period`);
  const long = [
    periodOf(set(timed('<S d="1"/>'), 41), 7000),
    periodOf(set(timed('<S d="1" r="4999"/>')), 5000),
  ];

  test.each<[string, string, string]>([
    ["a last number", one(set(template(`duration="2" endNumber="${many}"`))), tooMany],
    [
      "a first number below zero",
      one(set(template(`duration="2" startNumber="-${many}" endNumber="1"`))),
      tooMany,
    ],
    [
      "a length that is a billionth of a second",
      one(set(template('duration="1" timescale="1000000000"'))),
      tooMany,
    ],
    [
      "a piece repeated to the next",
      one(set(timed(`<S t="0" d="1" r="-1"/><S t="${many}" d="1"/>`))),
      tooMany,
    ],
    ["a piece repeated to the end", one(set(timed('<S t="0" d="1" r="-1"/>')), many), tooMany],
    ["a piece repeated often", one(set(timed(`<S t="0" d="1" r="${many}"/>`))), tooMany],
    ["a number in disguise", one(set(timed('<S t="0" d="1" r="&#57;99999999"/>'))), tooMany],
    ["a timeline of a list", one(set(list)), tooMany],
    [
      "numbers of many digits",
      one(set(timed('<S d="1" r="5"/>', "$Number%0100000d$"))),
      "numbers of over 20 digits",
    ],
    ["a repeated id", one(set(timed('<S d="1" r="5"/>', ids(100)), 1, { id: "x".repeat(1000) })), text],
    ["repeated times", one(set(timed('<S t="1000000000" d="1" r="5"/>', "$Time$".repeat(2000)))), text],
    ["a text longer than any", under(base(100_000), one(set(template('duration="2"')))), text],
    [
      "long addresses of many pieces",
      one(set(timed('<S d="1" r="3000"/>', ids(10)), 1, { id: "x".repeat(1500) }), 3000),
      tooLong,
    ],
    [
      "addresses above many pieces",
      under(base(15_000), one(set(timed('<S d="1" r="6000"/>')), 6000)),
      tooLong,
    ],
    ["nine characters a sign", one(set(timed('<S d="1" r="3000"/>', "\u20ac".repeat(1700))), 3000), tooLong],
    [
      "addresses of many qualities",
      under(
        base(LIMITS.text - 10, "\u20ac"),
        periods(100, set(template('duration="2"'), 20, { inner: "<BaseURL>a/</BaseURL>" })),
      ),
      tooLong,
    ],
    [
      "timelines that can't be read",
      one(set(timed(`${'<S d="1"/>'.repeat(20_000)}<S d="0"/>`), 200)),
      tooManyOfAll,
    ],
    ["many Periods", periods(1001, set(template('duration="2"'))), "over 1000 Periods"],
    [
      "many qualities of many Periods",
      periods(100, set(template('duration="2"'), 30)),
      "over 2000 qualities of its Periods",
    ],
    ["many sets", one("<AdaptationSet/>".repeat(10_001)), "over 10000 sets"],
    ["many qualities", one(set(template('duration="2"'), 201)), "over 200 qualities"],
    ["depth", nested(50_000), "can't be read"],
  ])("by %s", async (_, text, words) => {
    expect(await problemOf(text)).toContain(words);
  });

  inAll.each([
    ["of many pieces", one(set(timed('<S d="1" r="4999"/>'), 41), 5000)],
    ["that go on with the same", mpd(long, { duration: 12_000 })],
  ])("by many qualities %s", async (_, text) => {
    expect(await problemOf(text)).toContain(tooManyOfAll);
  });
});

test("as many qualities as a manifest may name in all its Periods are read", async () => {
  const problem = await problemOf(periods(100, set(template('duration="2"'), 20)));
  expect(problem).not.toContain("qualities of its Periods");
});

test("XML is read down to thirty elements inside each other, and no deeper", () => {
  expect(readXml(nested(30)).tagName).toBe("MPD");
  expect(() => readXml(nested(31))).toThrow(UnreadableXml);
});

test("XML's own references stand for characters", () => {
  const { attributes } = readXml('<MPD id="&lt;&gt;&amp;&apos;&quot;&#65;&#x42;"/>');
  expect(attributes.get("id")).toBe("<>&'\"AB");
});

test.each<[string, (size: number) => string]>([
  ["elements that never end", (size) => "<S>".repeat(size)],
  ["a tag that never ends", (size) => `<MPD ${"a ".repeat(size)}`],
  ["attributes", (size) => `<MPD ${'a="b" '.repeat(size)}>`],
  ["blanks", (size) => `<MPD${" ".repeat(size)}`],
  ["references", (size) => `<MPD a="${"&#".repeat(size)}"/>`],
  ["comments that never end", (size) => "<!--".repeat(size)],
  ["elements", (size) => `<MPD>${"<S/>".repeat(size)}</MPD>`],
])("reading XML of %s takes no longer than it is long", (_, text) => {
  expectLinear((size) => {
    try {
      readXml(text(size));
    } catch {}
  });
});

describe("taken are manifests of long videos", () => {
  const twoSeconds = template('duration="2"');
  const sounds = Array.from(
    { length: 30 },
    (_, at) =>
      `<AdaptationSet mimeType="audio/mp4" lang="l${at}">${twoSeconds}<Representation id="a${at}"/></AdaptationSet>`,
  );

  test.each<[string, string, qualities: number, seconds: number]>([
    [
      "of four hours in seven qualities and pieces of two seconds",
      one(set(twoSeconds, 7), 14_400),
      7,
      14_400,
    ],
    ["of four hours in thirty languages", one(set(twoSeconds) + sounds.join(""), 14_400), 1, 14_400],
    ["of forty advertisements", periods(81, set(twoSeconds, 12), 486), 12, 486],
  ])("%s", async (_, text, count, seconds) => {
    const found = (await qualitiesIn(text)).map(({ duration, problem }) => [duration, problem]);
    expect(found).toEqual(Array.from({ length: count }, () => [1000 * seconds, undefined]));
  });
});

test("an index that many qualities share is fetched once", async () => {
  const inner = byIndex(hls)("video");
  const text = mpd([periodOf(set("", 3, { inner })), periodOf(set("", 1, { inner }))], { duration: 12 });
  expect((await qualitiesIn(text)).map(({ duration }) => duration)).toEqual([12_000, 12_000, 12_000]);
  expect(hls.requests).toHaveLength(2);
});

test("an index of thousands of further ones is refused", async () => {
  const next = sidx([[2 ** 31 + 20_000, 2000]]);
  hls.files.set("/launch/0.mp4", new Uint8Array(Buffer.concat(Array.from({ length: 2000 }, () => next))));
  const inner = '<BaseURL>0.mp4</BaseURL><SegmentBase indexRange="0-43"/>';
  const [quality] = await qualitiesIn(one(set("", 1, { inner })));
  expect(quality?.problem?.message).toContain("gives an index that can't be read");
});

test("sound that many qualities share is made once", async () => {
  const entries = Array.from({ length: 10_000 }, (): [number, number] => [1, 600]);
  const index = sidx(entries, 1_000_000);
  hls.files.set("/launch/sound.mp4", new Uint8Array(Buffer.concat([Buffer.alloc(100), index])));
  const sound = `<AdaptationSet mimeType="audio/mp4"><Representation id="a" bandwidth="1"><BaseURL>sound.mp4</BaseURL>
    <SegmentBase indexRange="100-${index.length + 99}"/></Representation></AdaptationSet>`;
  const qualities = await qualitiesIn(
    one(set(template('duration="6"', "$RepresentationID$.m4s"), 24) + sound),
  );
  expect(qualities.map(({ problem }) => problem)).toEqual(Array.from({ length: 24 }, () => undefined));
  expect(hls.requests).toHaveLength(2);
});

/** Qualities of a file with an index each. */
function indexed(count: number, each: (at: number) => void = () => {}): string {
  const segments = byIndex(hls)("video");
  const file = hls.files.get("/indexed/video.mp4") as Uint8Array;
  const qualities = Array.from({ length: count }, (_, at) => {
    hls.files.set(`/indexed/${at}.mp4`, file);
    each(at);
    return representation(at, { inner: segments.replace("video.mp4", `${at}.mp4`) });
  });
  return one(`<AdaptationSet mimeType="video/mp4">${qualities.join("")}</AdaptationSet>`);
}

test("many qualities of many indexes are read a few at a time, without a warning of the runtime", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  expect((await qualitiesIn(indexed(24))).every(({ problem }) => problem === undefined)).toBe(true);
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

test("a server that is down doesn't let the index of each quality wait for minutes", async () => {
  put(indexed(3, (at) => hls.habits.set(`/indexed/${at}.mp4`, { status: 503 })));
  // What tells that a host can't be had now is the first one.
  hls.habits.set("/indexed/2.mp4", { status: 503, headers: { "retry-after": "3600" } });
  expect(await caught(openHls(address()))).toMatchObject({ retryable: true });
  const asked = (at: number) => hls.requests.filter((path) => path.startsWith(`/indexed/${at}.mp4`)).length;
  expect([2, 1, 0].map(asked)).toEqual([1, 2, 2]);
});
