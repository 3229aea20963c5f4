/** A DASH manifest of several Periods gives all of them, or says why it can't. */
import { describe, expect, test } from "vitest";
import { inspectHls, openHls } from "../../core/hls/mod.ts";
import { createClient, upload } from "../../core/mod.ts";
import { caught } from "../caught.ts";
import { byIndex, byTimeline, type Kind, mpd, period, template } from "../dash-manifest.ts";
import { readOriginal, readTracks } from "../hls-original.ts";
import { serveSamples } from "../hls-server.ts";
import { useService } from "../service/use-service.ts";
import { useHls } from "../use-hls.ts";

const service = useService();
const hls = useHls();

const client = () => createClient({ baseUrl: service.baseUrl, token: service.token });
const address = () => new URL("/launch/manifest.mpd", hls.origin);
const put = (text: string) => hls.files.set("/launch/manifest.mpd", text);

async function expectTwice(text: string): Promise<void> {
  put(text);
  const { asset } = await upload(client(), await openHls(address()));
  await service.whole(asset.id);
  const bytes = new Uint8Array(await (await fetch(String(asset.downloadUrl))).arrayBuffer());
  const original = await readOriginal();
  for (const [at, { packets, end }] of (await readTracks(bytes)).entries()) {
    const once = original[at]?.packets.map(({ data }) => data) ?? [];
    expect(packets.map(({ data }) => data).join() === [...once, ...once].join()).toBe(true);
    expect(end).toBeCloseTo(12.04, 1);
  }
}

const byLength = template('timescale="1000" duration="2000"');
const toTheEnd = template(
  'timescale="1000"',
  '<SegmentTimeline><S t="0" d="2000" r="-1"/></SegmentTimeline>',
);

describe("all Periods arrive", () => {
  test("at an address of their own", async () => {
    const files = new Map();
    serveSamples({ files });
    for (const [path, file] of files) for (const at of [0, 1]) hls.files.set(`/at/${at}${path}`, file);
    const each = [0, 1].map((at) => period(byTimeline, { more: `<BaseURL>/at/${at}/launch/</BaseURL>` }));
    await expectTwice(mpd(each));
    expect(hls.requests).toContain("/at/0/video/2.m4s");
    expect(hls.requests).toContain("/at/1/video/2.m4s");
  });

  test("whose representations have ids of their own", () =>
    expectTwice(mpd(["a", "b"].map((prefix) => period(byTimeline, { prefix })))));

  test("of files with an index", () => expectTwice(mpd([period(byIndex(hls)), period(byIndex(hls))])));

  test("of which one has an index and the other a timeline", () =>
    expectTwice(mpd([period(byTimeline), period(byIndex(hls), { prefix: "b" })])));

  test("that tell when they begin, and not how long they are", () =>
    expectTwice(
      mpd([
        period(byLength, { attributes: 'start="PT0S"' }),
        period(byLength, { attributes: 'start="PT6.021S"' }),
      ]),
    ));

  test("whose last pieces, computed from lengths, aren't there", () =>
    expectTwice(mpd([period(byLength), period(byLength)])));

  test("whose last piece is repeated to their end", () =>
    expectTwice(mpd([period(toTheEnd), period(toTheEnd)])));

  test("beside one that there is nothing of", () =>
    expectTwice(
      mpd(
        [
          period(byTimeline),
          '<Period xlink:href="urn:mpeg:dash:resolve-to-zero:2013"/>',
          '<Period id="empty" duration="PT0S"/>',
          period(byTimeline),
        ],
        { duration: 12.042 },
      ),
    ));
});

/** A representation of pictures whose pieces lie in a folder. */
const picture = (id: string, height: number, bandwidth: number, folder = id) =>
  `<Representation id="${id}" bandwidth="${bandwidth}" width="${(height / 9) * 16}" height="${height}" codecs="avc1.64000b">
    <SegmentTemplate duration="2" media="/${folder}/$Number$.m4s" initialization="/${folder}/init.mp4"/></Representation>`;
const pictures = (seconds: number, ...each: string[]) =>
  `<Period duration="PT${seconds}S"><AdaptationSet mimeType="video/mp4">${each.join("")}</AdaptationSet></Period>`;

test("a quality goes on with what is the most like it in other Periods, and the longest one names them", async () => {
  put(
    mpd(
      [
        pictures(4, picture("1", 360, 600)),
        pictures(60, picture("1", 180, 100), picture("2", 360, 500), picture("3", 720, 900)),
        pictures(
          4,
          picture("3", 180, 100, "low"),
          picture("2", 720, 2000, "high"),
          picture("1", 720, 1000, "best"),
        ),
      ],
      { duration: 68 },
    ),
  );
  for (const kind of ["1", "best"]) hls.files.set(`/${kind}/init.mp4`, "no video");
  const { qualities } = await inspectHls(address());
  expect(qualities.map(({ id, duration }) => [id, duration])).toEqual([
    ["720p-900", 68_000],
    ["360p-500", 68_000],
    ["180p-100", 68_000],
  ]);
  await caught(openHls(address()));
  expect(hls.requests).toContain("/1/1.m4s");
});

describe("what isn't whole is refused", () => {
  const refusal = async (text: string) => {
    put(text);
    const error = await caught(openHls(address()));
    expect(hls.requests).toEqual(["/launch/manifest.mpd"]);
    expect(error).toMatchObject({ name: "InputError", code: "unsupported-video" });
    return error.message;
  };
  const away = "http://ads.example/break?secret=1";

  test.each<[string, string]>([
    ["a Period", `<Period xlink:href="${away}" xlink:actuate="onLoad"/>`],
    ["a Period, and something in its place", period(byTimeline, { attributes: `xlink:href="${away}"` })],
    ["a set", `<Period duration="PT6S"><AdaptationSet xlink:href="${away}"/></Period>`],
  ])("that has %s at another address", async (_, part) => {
    const message = await refusal(mpd([period(byTimeline), part]));
    expect(message).toContain("parts at other addresses (xlink)");
    expect(message).not.toContain("ads.example");
  });

  test("since a Period has no pictures", async () => {
    const sound = period(byTimeline).replace(/<AdaptationSet contentType="video".*?<\/AdaptationSet>/s, "");
    expect(await refusal(mpd([period(byTimeline), sound]))).toContain("a part of it lacks pictures");
  });

  test.each<[string, (kind: Kind) => string]>([
    [
      "a timeline",
      template('timescale="1000"', '<SegmentTimeline><S t="0" d="1000" r="2"/></SegmentTimeline>'),
    ],
    ["a number of the last piece", template('timescale="1000" duration="1000" endNumber="2"')],
    [
      "a list",
      (kind) => `<SegmentList duration="1"><Initialization sourceURL="/${kind}/init.mp4"/>
        <SegmentURL media="/${kind}/0.m4s"/><SegmentURL media="/${kind}/1.m4s"/></SegmentList>`,
    ],
  ])("since a Period is longer than the pieces of %s", async (_, segments) => {
    expect(await refusal(mpd([period(byTimeline), period(segments)]))).toMatch(
      /its manifest lists pieces of [23] sec for 6 sec of video/,
    );
  });

  test("since it is longer than its Periods", async () => {
    const text = mpd([period(byTimeline)], { duration: 60 });
    expect(await refusal(text)).toContain("its manifest lists pieces of 6 sec for 60 sec of video");
  });

  test("since the index of a file is of a part of it", async () => {
    put(mpd([period(byIndex(hls), { attributes: 'duration="PT60S"' })], { duration: 60 }));
    expect(await caught(openHls(address()))).toMatchObject({ code: "unsupported-video" });
  });
});

test("a gap that a timeline tells is none of what is lost", async () => {
  const gap = '<SegmentTimeline><S t="0" d="2000" r="1"/><S t="30000" d="2000"/></SegmentTimeline>';
  put(mpd([period(template('timescale="1000"', gap), { attributes: 'duration="PT32S"' })], { duration: 32 }));
  const { qualities } = await inspectHls(address());
  expect(qualities).toMatchObject([{ duration: 6000, problem: undefined }]);
});
