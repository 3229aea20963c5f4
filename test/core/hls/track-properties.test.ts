/** What a head tells of its tracks and players act on is in the file: place and turn, pixels, colour, light, Dolby Vision, sound. */
import { describe, expect, test } from "vitest";
import { headTracks } from "../../../core/hls/boxes.ts";
import { openHls } from "../../../core/hls/mod.ts";
import { caught } from "../../support/caught.ts";
import { bytesOf, expectOriginal } from "../../support/hls/hls-original.ts";
import { mediaPlaylist, pieceLines, sample } from "../../support/hls/hls-server.ts";
import { useHls } from "../../support/hls/use-hls.ts";

const hls = useHls();

/** Puts a box into the description of a format in the head of the samples. */
function headWith(format: string, name: string, content: readonly number[]): Buffer {
  const head = Buffer.from(sample("fmp4-init.mp4"));
  const start = head.indexOf(format, head.indexOf("stsd")) - 4;
  const end = start + head.readUInt32BE(start);
  const box = Buffer.from([0, 0, 0, 8 + content.length, ...Buffer.from(name), ...content]);
  const parents = ["moov", "trak", "mdia", "minf", "stbl", "stsd", format];
  for (const parent of parents) {
    const at = head.lastIndexOf(parent, start + 4) - 4;
    head.writeUInt32BE(head.readUInt32BE(at) + box.length, at);
  }
  return Buffer.concat([head.subarray(0, end), box, head.subarray(end)]);
}

/** Where the nine numbers of the turn of the pictures stand in a head. */
const turnIn = (head: Buffer) => head.indexOf("tkhd") + 44;

function turned(numbers: readonly number[]): Buffer {
  const head = Buffer.from(sample("fmp4-init.mp4"));
  for (const [at, value] of numbers.entries()) head.writeInt32BE(value, turnIn(head) + 4 * at);
  return head;
}

const ONE = 0x10000;
const QUARTER = [0, ONE, 0, -ONE, 0, 0, 90 * ONE, 0, 0x40000000];
const FLIPPED = [-ONE, 0, 0, 0, ONE, 0, 160 * ONE, 0, 0x40000000];
const open = () => openHls(new URL("/fmp4/index.m3u8", hls.origin));

test.each([
  ["by a quarter", QUARTER],
  ["about their middle", FLIPPED],
])("pictures that are turned %s stay so", async (_, numbers) => {
  hls.files.set("/fmp4/init.mp4", turned(numbers));
  const bytes = await bytesOf(await open());
  await expectOriginal(bytes);
  const head = Buffer.from(bytes.subarray(0, 4096));
  expect(numbers.map((__, at) => head.readInt32BE(turnIn(head) + 4 * at))).toEqual(numbers);
});

test("pictures that turn on the way are told before anything is read", async () => {
  hls.files.set("/fmp4/turned.mp4", turned(QUARTER));
  const lines = ['#EXT-X-MAP:URI="init.mp4"', ...pieceLines(["0.m4s"]), "#EXT-X-DISCONTINUITY"];
  const later = ['#EXT-X-MAP:URI="turned.mp4"', ...pieceLines(["1.m4s"])];
  hls.files.set("/fmp4/index.m3u8", mediaPlaylist([...lines, ...later]));
  expect(await caught(open())).toMatchObject({ name: "InputError", code: "unsupported-video" });
});

describe("the description of a track keeps", () => {
  const BOXES: [string, string, number[]][] = [
    ["avc1", "pasp", [0, 0, 0, 4, 0, 0, 0, 3]],
    ["avc1", "mdcv", Array.from({ length: 24 }, (_, at) => at)],
    ["avc1", "clli", [3, 232, 1, 144]],
    ["avc1", "dvvC", [1, 0, 16, 37, 16, ...Array<number>(19).fill(0)]],
    ["avc1", "colr", [...Buffer.from("nclx"), 0, 9, 0, 16, 0, 9, 0]],
    ["mp4a", "chnl", [0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0]],
  ];
  test.each(BOXES)("%s: %s", async (format, name, content) => {
    hls.files.set("/fmp4/init.mp4", headWith(format, name, content));
    const bytes = await bytesOf(await open());
    await expectOriginal(bytes);
    const description = headTracks(bytes).find(({ formats }) => formats.includes(format))?.description;
    const found = Buffer.from(description ?? []);
    const at = found.indexOf(name);
    expect([...found.subarray(at + 4, at + 4 + content.length)]).toEqual(content);
    expect(found.indexOf(name, at + 4)).toBe(-1);
  });

  test("nothing of what says nothing", async () => {
    const plain = await bytesOf(await open());
    for (const [name, content] of [
      ["pasp", [0, 0, 0, 1, 0, 0, 0, 1]],
      ["free", [1, 2]],
    ] as const) {
      hls.files.set("/fmp4/init.mp4", headWith("avc1", name, content));
      expect(Buffer.from(await bytesOf(await open())).equals(plain)).toBe(true);
    }
  });
});
