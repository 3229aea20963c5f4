/** What a small DASH manifest may stand for is counted before it is made: the popup reads whatever a page names. */
import { describe, expect, test } from "vitest";
import { inspectHls, openHls } from "../../core/hls/mod.ts";
import { LIMITS } from "../../core/hls/playlist.ts";
import { caught } from "../caught.ts";
import { byIndex, mpd } from "../dash-manifest.ts";
import { useHls } from "../use-hls.ts";

const hls = useHls();

const address = () => new URL("/launch/manifest.mpd", hls.origin);
const put = (text: string) => hls.files.set("/launch/manifest.mpd", text);

interface More {
  id?: string;
  attributes?: string;
  inner?: string;
}

const representation = (at: number, { id = `r${at}`, inner = "" }: More = {}) =>
  `<Representation id="${id}" bandwidth="${1000 + at}" width="160" height="90">${inner}</Representation>`;
const set = (segments: string, more: More = {}, count = 1) =>
  `<AdaptationSet mimeType="video/mp4">${segments}${Array.from({ length: count }, (_, at) => representation(at, more)).join("")}</AdaptationSet>`;
const periodOf = (sets: string, seconds = 6) => `<Period duration="PT${seconds}S">${sets}</Period>`;
const one = (segments: string, more: More = {}, count = 1, seconds = 6) =>
  mpd([periodOf(set(segments, more, count), seconds)], { duration: seconds });
const timed = (entries: string, media = "$Number$.m4s") =>
  `<SegmentTemplate media="${media}"><SegmentTimeline>${entries}</SegmentTimeline></SegmentTemplate>`;
const many = LIMITS.pieces + 10_000;

/** Why nothing, or no quality, of a manifest can be taken. */
async function problemOf(text: string): Promise<string> {
  put(text);
  expect(text.length).toBeLessThan(500_000);
  const found = await inspectHls(address()).catch((error: unknown) => error);
  expect(hls.requests).toEqual(["/launch/manifest.mpd"]);
  if (found instanceof Error) {
    expect(found).toMatchObject({ name: "InputError", code: "unsupported-video" });
    return found.message;
  }
  const { qualities } = found as Awaited<ReturnType<typeof inspectHls>>;
  expect(qualities.every(({ problem }) => problem?.code === "unsupported-video")).toBe(true);
  return qualities[0]?.problem?.message ?? "";
}

describe("refused are manifests that stand for more than anybody needs", () => {
  const template = (more: string) => `<SegmentTemplate media="$Number$.m4s" ${more}/>`;
  test.each<[string, string, string]>([
    ["a last number", one(template(`duration="2" endNumber="${many}"`)), `over ${LIMITS.pieces} pieces`],
    [
      "a first number below zero",
      one(template(`duration="2" startNumber="-${many}" endNumber="1"`)),
      "pieces",
    ],
    [
      "a piece repeated to the next one",
      one(timed(`<S t="0" d="1" r="-1"/><S t="${many}" d="1"/>`)),
      `over ${LIMITS.pieces} pieces`,
    ],
    ["a piece repeated to the end", one(timed('<S t="0" d="1" r="-1"/>'), {}, 1, many), "pieces"],
    ["a piece repeated often", one(timed(`<S t="0" d="1" r="${many}"/>`)), "pieces"],
    [
      "a timeline of a list",
      one(
        `<SegmentList><SegmentTimeline><S d="1" r="${many}"/></SegmentTimeline><SegmentURL media="a"/></SegmentList>`,
      ),
      "pieces",
    ],
    [
      "numbers of many digits",
      one(timed('<S d="1" r="5"/>', "$Number%0100000d$")),
      "numbers of over 20 digits",
    ],
    [
      "an id that its addresses repeat",
      one(timed('<S d="1" r="5"/>', "$RepresentationID$".repeat(100)), { id: "x".repeat(1000) }),
      `an address of over ${LIMITS.text} characters`,
    ],
    [
      "a template whose numbers make it long",
      one(timed('<S d="1" r="5"/>', "$Time$".repeat(2000))),
      `an address of over ${LIMITS.text} characters`,
    ],
    [
      "long addresses of many pieces",
      one(timed('<S d="1" r="3000"/>', "$RepresentationID$".repeat(10)), { id: "x".repeat(1500) }, 1, 3000),
      "addresses that are too long",
    ],
    [
      "signs that addresses hold nine characters of",
      one(timed('<S d="1" r="3000"/>', "\u20ac".repeat(1700)), {}, 1, 3000),
      "addresses that are too long",
    ],
    [
      "many qualities of many pieces",
      one(timed('<S d="1" r="4999"/>'), {}, 200, 5000),
      "over 200000 pieces of all",
    ],
    [
      "many qualities that go on with the same",
      mpd(
        [
          periodOf(set(timed('<S d="1"/>'), {}, 200), 7000),
          periodOf(set(timed('<S d="1" r="4999"/>')), 5000),
        ],
        { duration: 12_000 },
      ),
      "over 200000 pieces of all",
    ],
    [
      "many Periods",
      mpd(
        Array.from({ length: 1001 }, () => periodOf(set(template('duration="2"')))),
        { duration: 6 },
      ),
      "over 1000 Periods",
    ],
    [
      "many qualities of many Periods",
      mpd(
        Array.from({ length: 100 }, () => periodOf(set(template('duration="2"'), {}, 30))),
        { duration: 6 },
      ),
      "over 2000 qualities of its Periods",
    ],
    [
      "many sets",
      mpd([
        "<Period><AdaptationSet/></Period>".replace("<AdaptationSet/>", "<AdaptationSet/>".repeat(10_001)),
      ]),
      "over 10000 sets",
    ],
    ["many qualities", one(template('duration="2"'), {}, 201), "over 200 qualities"],
    [
      "long addresses of many qualities",
      mpd(
        Array.from({ length: 100 }, () =>
          periodOf(set(template('duration="2"'), { inner: "<BaseURL>a/</BaseURL>" }, 20)),
        ),
        { duration: 6 },
      ).replace("<Period", `<BaseURL>/${"\u20ac".repeat(LIMITS.text - 10)}/</BaseURL><Period`),
      "addresses that are too long",
    ],
  ])("by %s", async (_, text, words) => {
    expect(await problemOf(text)).toContain(words);
  });

  test("by timelines that can't be read, again and again", async () => {
    const text = one(timed(`${'<S d="1"/>'.repeat(20_000)}<S d="0"/>`), {}, 200);
    expect(await problemOf(text)).toContain("over 200000 pieces of all");
  });
});

describe("taken are manifests of long videos", () => {
  test("of four hours in seven qualities and pieces of two seconds", async () => {
    const template =
      '<SegmentTemplate duration="2" media="$RepresentationID$/$Number$.m4s" initialization="i.mp4"/>';
    put(one(template, {}, 7, 14_400));
    const { qualities } = await inspectHls(address());
    expect(qualities.map(({ duration, problem }) => [duration, problem])).toEqual(
      Array.from({ length: 7 }, () => [14_400_000, undefined]),
    );
  });

  test("of four hours in thirty languages", async () => {
    const template = '<SegmentTemplate duration="2" media="$RepresentationID$/$Number$.m4s"/>';
    const sounds = Array.from(
      { length: 30 },
      (_, at) =>
        `<AdaptationSet mimeType="audio/mp4" lang="l${at}">${template}<Representation id="a${at}"/></AdaptationSet>`,
    );
    put(mpd([periodOf(set(template) + sounds.join(""), 14_400)], { duration: 14_400 }));
    const { qualities } = await inspectHls(address());
    expect(qualities).toMatchObject([{ duration: 14_400_000, problem: undefined }]);
  });

  test("of forty advertisements", async () => {
    const template =
      '<SegmentTemplate duration="2" media="$RepresentationID$/$Number$.m4s" initialization="i.mp4"/>';
    put(
      mpd(
        Array.from({ length: 81 }, () => periodOf(set(template, {}, 12))),
        { duration: 486 },
      ),
    );
    const { qualities } = await inspectHls(address());
    expect(qualities.map(({ duration }) => duration)).toEqual(Array.from({ length: 12 }, () => 486_000));
  });
});

test("an index that many qualities share is fetched once", async () => {
  const inner = byIndex(hls)("video");
  put(mpd([periodOf(set("", { inner }, 3)), periodOf(set("", { inner }))], { duration: 12 }));
  const { qualities } = await inspectHls(address());
  expect(qualities.map(({ duration }) => duration)).toEqual([12_000, 12_000, 12_000]);
  expect(hls.requests).toHaveLength(2);
});

test("sound that many qualities share is made once", async () => {
  const entries = 10_000;
  const index = Buffer.alloc(32 + 12 * entries);
  index.writeUInt32BE(index.length, 0);
  index.write("sidx", 4);
  index.writeUInt32BE(1_000_000, 16);
  index.writeUInt16BE(entries, 30);
  for (let at = 0; at < entries; at++) {
    index.writeUInt32BE(1, 32 + 12 * at);
    index.writeUInt32BE(600, 36 + 12 * at);
  }
  const before = Buffer.alloc(100);
  hls.files.set("/launch/sound.mp4", new Uint8Array(Buffer.concat([before, index])));
  const sound = `<AdaptationSet mimeType="audio/mp4"><Representation id="a" bandwidth="1"><BaseURL>sound.mp4</BaseURL>
    <SegmentBase indexRange="100-${index.length + 99}"/></Representation></AdaptationSet>`;
  const whole = '<SegmentTemplate duration="6" media="$RepresentationID$.m4s" initialization="i.mp4"/>';
  put(mpd([periodOf(set(whole, {}, 24) + sound)], { duration: 6 }));
  const { qualities } = await inspectHls(address());
  expect(qualities.map(({ problem }) => problem)).toEqual(Array.from({ length: 24 }, () => undefined));
  expect(hls.requests).toHaveLength(2);
});

test("many qualities of many indexes are read a few at a time, without a warning of the runtime", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  const segments = byIndex(hls)("video");
  const file = hls.files.get("/indexed/video.mp4") as Uint8Array;
  const each = Array.from({ length: 24 }, (_, at) => {
    hls.files.set(`/indexed/${at}.mp4`, file);
    return representation(at, { inner: segments.replace("video.mp4", `${at}.mp4`) });
  });
  put(mpd([periodOf(`<AdaptationSet mimeType="video/mp4">${each.join("")}</AdaptationSet>`)]));
  const { qualities } = await inspectHls(address());
  expect(qualities.every(({ problem }) => problem === undefined)).toBe(true);
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

test("a server that is down doesn't let the index of each quality wait for minutes", async () => {
  const segments = byIndex(hls)("video");
  const each = [0, 1, 2].map((at) => {
    hls.habits.set(`/indexed/${at}.mp4`, { status: 503 });
    return representation(at, { inner: segments.replace("video.mp4", `${at}.mp4`) });
  });
  // What tells that a host can't be had now is the first one.
  hls.habits.set("/indexed/2.mp4", { status: 503, headers: { "retry-after": "3600" } });
  put(mpd([periodOf(`<AdaptationSet mimeType="video/mp4">${each.join("")}</AdaptationSet>`)]));
  expect(await caught(openHls(address()))).toMatchObject({ retryable: true });
  const asked = (at: number) => hls.requests.filter((path) => path.startsWith(`/indexed/${at}.mp4`)).length;
  expect([2, 1, 0].map(asked)).toEqual([1, 2, 2]);
});
