/** Of pieces that a DASH manifest lists in several Periods, or beyond one, each Period takes those that play in it. */
import { describe, expect, test } from "vitest";
import { inspectHls, openHls } from "../../core/hls/mod.ts";
import { createClient, upload } from "../../core/mod.ts";
import { caught } from "../caught.ts";
import { byIndex, type Kind, mpd, period, template } from "../dash-manifest.ts";
import { bytesOf, expectOriginal, readTracks } from "../hls-original.ts";
import { useService } from "../service/use-service.ts";
import { useHls } from "../use-hls.ts";

const service = useService();
const hls = useHls();

const client = () => createClient({ baseUrl: service.baseUrl, token: service.token });
const address = () => new URL("/launch/manifest.mpd", hls.origin);
const put = (text: string) => hls.files.set("/launch/manifest.mpd", text);

async function uploaded(text: string): Promise<Uint8Array> {
  put(text);
  const { asset } = await upload(client(), await openHls(address()));
  await service.whole(asset.id);
  return new Uint8Array(await (await fetch(String(asset.downloadUrl))).arrayBuffer());
}

type Segments = (kind: Kind) => string;

/** All pieces, by a clock that shows so many milliseconds when the Period begins. */
const fromIndex =
  (offset: number): Segments =>
  (kind) =>
    byIndex(hls)(kind).replace(
      "<SegmentBase",
      `<SegmentBase timescale="1000" presentationTimeOffset="${offset}"`,
    );
const ENTRIES = { video: '<S t="0" d="2000" r="2"/>', audio: '<S t="0" d="2000" r="2"/><S d="22"/>' };
const fromTimeline =
  (offset: number): Segments =>
  (kind) =>
    template(
      `timescale="1000" presentationTimeOffset="${offset}"`,
      `<SegmentTimeline>${ENTRIES[kind]}</SegmentTimeline>`,
    )(kind);
const fromList =
  (offset: number): Segments =>
  (kind) => {
    const urls = (kind === "audio" ? [0, 1, 2, 3] : [0, 1, 2]).map(
      (at) => `<SegmentURL media="/${kind}/${at}.m4s"/>`,
    );
    return `<SegmentList timescale="1000" presentationTimeOffset="${offset}"><Initialization sourceURL="/${kind}/init.mp4"/>
      <SegmentTimeline>${ENTRIES[kind]}</SegmentTimeline>${urls.join("")}</SegmentList>`;
  };
const lasting = (seconds: number, segments: Segments) =>
  period(segments, { attributes: `duration="PT${seconds}S"` });

describe.each<[string, (offset: number) => Segments]>([
  ["an index", fromIndex],
  ["a timeline", fromTimeline],
  ["a list with a timeline", fromList],
])("where two Periods name the same pieces by %s", (_, segments) => {
  test("each of them is taken once", async () => {
    const text = mpd([lasting(4, segments(0)), lasting(2.021, segments(4000))], { duration: 6.021 });
    await expectOriginal(await uploaded(text));
  });

  test("an advertisement may come between them", async () => {
    const text = mpd(
      [lasting(4, segments(0)), lasting(6.021, fromTimeline(0)), lasting(2.021, segments(4000))],
      { duration: 12.042 },
    );
    const [video] = await readTracks(await uploaded(text));
    expect(video?.packets.length).toBe(360);
    expect(video?.end).toBeCloseTo(12.06, 1);
  });

  test("a piece that plays in both of them is taken once", async () => {
    const text = mpd([lasting(3, segments(0)), lasting(3.021, segments(3000))], { duration: 6.021 });
    await expectOriginal(await uploaded(text));
  });

  test("what plays twice is taken twice", async () => {
    const text = mpd([lasting(2, segments(2000)), lasting(2, segments(2000))], { duration: 4 });
    const [video] = await readTracks(await uploaded(text));
    expect(video?.packets.length).toBe(120);
  });

  test("a Period that begins and ends a moment beside them takes none of its neighbours", async () => {
    put(mpd([lasting(2.003, segments(1998))], { duration: 2.003 }));
    const { qualities } = await inspectHls(address());
    expect(qualities).toMatchObject([{ duration: 2000, problem: undefined }]);
  });
});

test("a Period of a part of a file takes nothing else of it", async () => {
  const pictures = (segments: string) =>
    `<Period duration="PT2S"><AdaptationSet mimeType="video/mp4"><Representation id="v" bandwidth="9000">${segments}</Representation></AdaptationSet></Period>`;
  for (const offset of [0, 2000]) {
    put(mpd([pictures(fromIndex(offset)("video"))], { duration: 2 }));
    const { qualities } = await inspectHls(address());
    expect(qualities).toMatchObject([{ duration: 2000, problem: undefined }]);
    const [video] = await readTracks(await bytesOf(await openHls(address())));
    expect(video?.packets.length).toBe(60);
  }
});

describe("what is longer than told is refused", () => {
  const numbered = (more: string) => template(`timescale="1000" duration="2000" ${more}`);

  test.each<[string, string]>([
    ["a Period by the number of its last piece", mpd([lasting(6, numbered('endNumber="30"'))])],
    ["all Periods together", mpd([period(fromTimeline(0)), period(fromTimeline(0))], { duration: 6 })],
  ])("%s", async (_, text) => {
    put(text);
    const error = await caught(openHls(address()));
    expect(error).toMatchObject({ name: "InputError", code: "unsupported-video" });
    expect(error.message).toMatch(/its manifest lists pieces of (62|12) sec for 6 sec of video/);
  });
});

describe("a Period is as long as the longer of its pictures and its sound", () => {
  const ofPieces =
    (amounts: Record<Kind, number>): Segments =>
    (kind) =>
      template(
        'timescale="1000"',
        `<SegmentTimeline><S t="0" d="2000" r="${amounts[kind] - 1}"/></SegmentTimeline>`,
      )(kind);

  test.each([
    ["sound", { video: 30, audio: 28 }],
    ["pictures", { video: 26, audio: 30 }],
  ])("where the %s end earlier", async (_, amounts) => {
    const each = lasting(60, ofPieces(amounts));
    put(mpd([each, each], { duration: 120 }));
    const { qualities } = await inspectHls(address());
    expect(qualities).toMatchObject([{ duration: 120_000, problem: undefined }]);
  });

  test("and arrives, by an index too", async () => {
    for (const segments of [fromIndex(0), fromTimeline(0)]) {
      const bytes = await uploaded(
        mpd(
          [
            lasting(6.021, (kind) =>
              kind === "video"
                ? segments(kind)
                : template(
                    'timescale="1000"',
                    '<SegmentTimeline><S t="0" d="2000"/></SegmentTimeline>',
                  )(kind),
            ),
          ],
          { duration: 6.021 },
        ),
      );
      const ends = (await readTracks(bytes)).map(({ type, end }) => [type, Math.round(end)]);
      expect(ends).toEqual([
        ["video", 6],
        ["audio", 2],
      ]);
    }
  });

  test.each<[string, Record<Kind, number>, number, number]>([
    ["both are shorter", { video: 26, audio: 25 }, 52, 60],
    ["the sound is longer than the Period", { video: 30, audio: 30 }, 60, 20],
  ])("and is refused where %s", async (_, amounts, have, told) => {
    const segments = (kind: Kind) =>
      `<SegmentList duration="2">${Array.from({ length: amounts[kind] }, (_, at) => `<SegmentURL media="${at}.m4s"/>`).join("")}</SegmentList>`;
    put(mpd([lasting(told, segments)], { duration: told }));
    const { qualities } = await inspectHls(address());
    expect(qualities[0]?.problem?.message).toContain(`lists pieces of ${have} sec for ${told} sec of video`);
  });

  test("and is refused where one of them has no pieces at all", async () => {
    const nothing = (kind: Kind) =>
      template(
        'timescale="1000"',
        kind === "audio"
          ? "<SegmentTimeline></SegmentTimeline>"
          : '<SegmentTimeline><S t="0" d="2000" r="2"/></SegmentTimeline>',
      )(kind);
    put(mpd([period(fromTimeline(0)), lasting(6, nothing)], { duration: 12 }));
    const { qualities } = await inspectHls(address());
    expect(qualities[0]?.problem?.message).toContain("lists pieces of 0 sec for 6 sec of video");
  });
});

test("a timeline that counts from anywhere, without an offset, is taken whole", async () => {
  const later: Segments = (kind) =>
    template(
      'timescale="1000"',
      `<SegmentTimeline>${ENTRIES[kind].replace('t="0"', 't="86400000"')}</SegmentTimeline>`,
    )(kind);
  await expectOriginal(await uploaded(mpd([period(later)])));
});
