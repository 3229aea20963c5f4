/** Videos whose pieces a DASH manifest names become one file as those of playlists do. */
import { describe, expect, test } from "vitest";
import { inspectHls, openHls } from "../../core/hls/mod.ts";
import { readXml } from "../../core/hls/xml.ts";
import { createClient, upload } from "../../core/mod.ts";
import { caught } from "../caught.ts";
import { byIndex, byTimeline, type Kind, manifest, template } from "../dash-manifest.ts";
import { expectOriginal, readTracks } from "../hls-original.ts";
import { expectLinear } from "../linear-time.ts";
import { MARKER } from "../marker.ts";
import { useService } from "../service/use-service.ts";
import { useHls } from "../use-hls.ts";

const service = useService();
const hls = useHls();

const client = () => createClient({ baseUrl: service.baseUrl, token: service.token });
const address = (query = "") => new URL(`/launch/manifest.mpd${query}`, hls.origin);
const put = (text: string) => hls.files.set("/launch/manifest.mpd", text);
const refusal = (text: string) => {
  put(text);
  return caught(openHls(address(`?signature=${MARKER}`)));
};

async function uploaded(text: string): Promise<Uint8Array> {
  put(text);
  const { asset } = await upload(client(), await openHls(address()));
  await service.whole(asset.id);
  expect(asset.name).toBe("launch.mp4");
  return new Uint8Array(await (await fetch(String(asset.downloadUrl))).arrayBuffer());
}

describe("a video that a manifest names arrives as one file", () => {
  test("by a template and a timeline", async () => {
    await expectOriginal(await uploaded(manifest(byTimeline)));
    expect(new Set(hls.requests).size).toBe(hls.requests.length);
    expect(hls.mostAtOnce).toBeLessThanOrEqual(3);
  });

  test("by a template and a length", async () => {
    const bytes = await uploaded(
      manifest((kind) => template(`timescale="1000" duration="${kind === "audio" ? 1900 : 2010}"`)(kind)),
    );
    await expectOriginal(bytes);
  });

  test("by a template and a length that make one piece more than there is", async () => {
    const bytes = await uploaded(manifest(template('timescale="1000" duration="2000"')));
    await expectOriginal(bytes);
    expect(hls.requests).toContain("/video/3.m4s");
    hls.files.delete("/audio/2.m4s");
    put(manifest(template('timescale="1000" duration="2000"')));
    const error = await caught(upload(client(), await openHls(address())));
    expect(error).toMatchObject({ code: "source-refused", httpStatus: 404 });
  });

  test("by a timeline, whose short last piece is as much of it as the others", async () => {
    hls.files.delete("/audio/3.m4s");
    put(manifest(byTimeline));
    const error = await caught(upload(client(), await openHls(address())));
    expect(error).toMatchObject({ code: "source-refused", httpStatus: 404 });
  });

  test("by a list, all of which counts", async () => {
    const listed = (kind: Kind) =>
      `<SegmentList duration="2"><Initialization sourceURL="/${kind}/init.mp4"/>${(kind === "audio"
        ? [0, 1, 2, 3]
        : [0, 1, 2]
      )
        .map((at) => `<SegmentURL media="/${kind}/${at}.m4s"/>`)
        .join("")}</SegmentList>`;
    await expectOriginal(await uploaded(manifest(listed)));
  });

  test("by files with an index", async () => {
    await expectOriginal(await uploaded(manifest(byIndex(hls))));
  });

  test("period by period", async () => {
    const [video, audio] = await readTracks(await uploaded(manifest(byTimeline, { periods: 2 })));
    expect([video?.packets.length, audio?.packets.length]).toEqual([360, 566]);
    expect(video?.end).toBeCloseTo(12.06, 1);
  });
});

test("inspectHls() lists what a manifest offers", async () => {
  put(manifest(byTimeline));
  const { qualities } = await inspectHls(address());
  expect(qualities).toMatchObject([
    { id: "90p-48000", width: 160, height: 90, bitrate: 48_000, live: false, problem: undefined },
  ]);
  expect(hls.requests).toEqual(["/launch/manifest.mpd"]);
});

describe("a manifest is refused", () => {
  test("that is protected", async () => {
    const set =
      '<ContentProtection schemeIdUri="urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed"><cenc:pssh>AAAA</cenc:pssh></ContentProtection>';
    expect(await refusal(manifest(byTimeline, { set }))).toMatchObject({ code: "protected-video" });
  });

  test("that is live", async () => {
    const root = 'type="dynamic" availabilityStartTime="1970-01-01T00:00:00Z"';
    expect(await refusal(manifest(template('duration="1"'), { root }))).toMatchObject({
      code: "live-stream",
    });
  });

  test("that has no pictures", async () => {
    const sound = manifest(byTimeline).replace(
      /<AdaptationSet contentType="video"[\s\S]*?<\/AdaptationSet>/,
      "",
    );
    const error = await refusal(sound);
    expect(error).toMatchObject({ name: "InputError", code: "unsupported-video" });
    expect(error.message).toContain("it has no pictures");
    expect(await caught(inspectHls(address()))).toMatchObject({ code: "unsupported-video" });
  });

  test.each<[string, (kind: Kind) => string]>([
    ["of pieces of a billionth of a second", template('duration="1" timescale="1000000000"')],
    ["of pieces of no time", template('duration="0"')],
    ["of pieces of less than no time", template('duration="-1"')],
    [
      "of a piece that is repeated",
      template('timescale="1"', '<SegmentTimeline><S t="0" d="1" r="999999999999"/></SegmentTimeline>'),
    ],
    [
      "of a piece that is repeated to the end",
      template('timescale="1000000"', '<SegmentTimeline><S t="0" d="1" r="-1"/></SegmentTimeline>'),
    ],
    [
      "of a number in disguise",
      template('timescale="1"', '<SegmentTimeline><S t="0" d="1" r="&#57;99999999"/></SegmentTimeline>'),
    ],
    [
      "of an address of another scheme",
      () => '<BaseURL>file:///etc/</BaseURL><SegmentTemplate media="$Number$" duration="2"/>',
    ],
    ["of nothing", () => ""],
  ])("%s", async (_, segments) => {
    const error = await refusal(manifest(segments));
    expect(error).toMatchObject({ name: "InputError", code: "unsupported-video" });
    expect(hls.requests).toEqual(["/launch/manifest.mpd"]);
  });

  test.each([
    ["that isn't whole", "<MPD><Period>"],
    ["without a period", "<MPD></MPD>"],
    [
      "of very many qualities",
      `<MPD type="static">${"<BaseURL>/a/</BaseURL>".repeat(4)}<Period>${"<BaseURL>b/</BaseURL>".repeat(4)}${'<AdaptationSet mimeType="video/mp4"><Representation/></AdaptationSet>'.repeat(20_000)}</Period></MPD>`,
    ],
    [
      "of pieces whose address is long",
      manifest(
        template('timescale="1000"', '<SegmentTimeline><S t="0" d="1" r="6000"/></SegmentTimeline>'),
      ).replace("<Period", `<BaseURL>/${"a".repeat(15_000)}/</BaseURL><Period`),
    ],
    ["whose address is longer than any", `<MPD><BaseURL>${"a".repeat(100_000)}</BaseURL><Period/></MPD>`],
    ["that is very deep", `<MPD>${"<Period>".repeat(50_000)}</MPD>`],
    ["with rules of its own", `<!DOCTYPE MPD [<!ENTITY a "b">]>${manifest(byTimeline)}`],
  ])("%s", async (_, text) => {
    expect(await refusal(text)).toMatchObject({ name: "InputError", code: "unsupported-video" });
  });

  test.each<[string, (size: number) => string]>([
    ["elements that never end", (size) => "<S>".repeat(size)],
    ["a tag that never ends", (size) => `<MPD ${"a ".repeat(size)}`],
    ["attributes", (size) => `<MPD ${'a="b" '.repeat(size)}>`],
    ["blanks", (size) => `<MPD${" ".repeat(size)}`],
    ["references", (size) => `<MPD a="${"&#".repeat(size)}"/>`],
    ["comments that never end", (size) => "<!--".repeat(size)],
    ["elements", (size) => `<MPD>${"<S/>".repeat(size)}</MPD>`],
  ])("no slower than it is long: %s", (_, text) => {
    expectLinear((size) => {
      try {
        readXml(text(size));
      } catch {}
    });
  });

  test("that is a page to sign in, or another kind of XML", async () => {
    expect(await refusal("<!doctype html><p>Sign in</p>")).toMatchObject({ code: "source-refused" });
    expect(await refusal('<?xml version="1.0"?><Error>no</Error>')).toMatchObject({ code: "source-refused" });
  });
});
