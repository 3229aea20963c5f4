/** What becomes of a finished upload: description, playlist, download, start page. */
import { readFile } from "node:fs/promises";
import { BufferSource, Input, MP4 } from "mediabunny";
import { describe, expect, test } from "vitest";
import { sha256 } from "../support/content.ts";
import type { Asset } from "./assets.ts";
import { locate, send } from "./bare-requests.ts";
import { useService } from "./use-service.ts";

const service = useService({ processing: "full" });

async function upload(body: Buffer): Promise<Asset> {
  const { url, asset } = await locate(service);
  await send(url, { method: "PUT", body });
  return (await service.whole(asset.id)).asset as Asset;
}

const sample = (name: string) => readFile(new URL(`./samples/${name}`, import.meta.url));

async function download(url: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}

describe("an H.264 video", () => {
  test("is described and can be downloaded as it was", async () => {
    const file = await sample("launch-video.mp4");
    const asset = await upload(file);
    expect(asset).toMatchObject({
      size: file.length,
      status: { phase: "ready", progress: 1 },
      hash: [{ hash: sha256(file), algorithm: "sha256" }],
      videoSpec: {
        format: "mp4",
        duration: 10,
        tracks: [
          { type: "video", codec: "h264", width: 640, height: 360, fps: 30 },
          { type: "audio", codec: "aac", sampleRate: 44100 },
        ],
      },
    });
    const answer = await fetch(asset.downloadUrl ?? "");
    expect(answer.headers.get("content-type")).toBe("video/mp4");
    expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(sha256(file));
  });

  test.each(["launch-video.mp4", "camera-roll.mov", "tiny.mp4"])(
    "%s gets a playlist of real ranges",
    async (name) => {
      const { playbackUrl = "", videoSpec } = await upload(await sample(name));
      const answer = await fetch(playbackUrl);
      expect(answer.headers.get("content-type")).toBe("application/vnd.apple.mpegurl");
      const playlist = await answer.text();
      expect(playlist).toMatch(/^#EXTM3U\n#EXT-X-VERSION:7\n/);
      expect(playlist).toMatch(/#EXT-X-ENDLIST\n$/);

      const [, uri = "", initLength = ""] = /#EXT-X-MAP:URI="(.+)",BYTERANGE="(\d+)@0"/.exec(playlist) ?? [];
      const data = await download(new URL(uri, playbackUrl).href);
      expect(data.toString("latin1", 4, 8)).toBe("ftyp");
      const init = data.subarray(0, Number(initLength));
      expect(init.includes("moov")).toBe(true);

      const segments = [...playlist.matchAll(/#EXTINF:([\d.]+),\n#EXT-X-BYTERANGE:(\d+)@(\d+)\n(.+)\n/g)];
      expect(segments.length).toBeGreaterThan(0);
      let end = init.length;
      for (const [, , length, start, file] of segments) {
        expect(file).toBe(uri);
        expect(Number(start)).toBe(end);
        end += Number(length);
        const segment = data.subarray(Number(start), end);
        expect(segment.toString("latin1", 4, 8)).toBe("moof");
        const input = new Input({ source: new BufferSource(Buffer.concat([init, segment])), formats: [MP4] });
        expect(await (await input.getPrimaryVideoTrack())?.getCodec()).toBe("avc");
      }
      const total = segments.reduce((sum, [, duration]) => sum + Number(duration), 0);
      expect(total).toBeCloseTo(videoSpec?.duration ?? 0, 1);
    },
  );
});

test("a VP9 video is ready without a playlist", async () => {
  const asset = await upload(await sample("deep-dive.webm"));
  expect(asset).toMatchObject({ status: { phase: "ready" }, videoSpec: { format: "webm" } });
  expect(asset).not.toHaveProperty("playbackUrl");
  expect((await fetch(asset.downloadUrl ?? "")).headers.get("content-type")).toBe("video/webm");
});

test("what is no video fails, and can still be downloaded, but never as a page", async () => {
  const file = Buffer.from("<script>alert(1)</script>");
  const asset = await upload(file);
  expect(asset.status).toMatchObject({ phase: "failed", errorMessage: expect.any(String) });
  const answer = await fetch(asset.downloadUrl ?? "");
  expect(answer.headers.get("content-type")).toBe("application/octet-stream");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(file);
});

test("ranges: the first, the last, the middle bytes, and only of the same file", async () => {
  const file = await sample("tiny.mp4");
  const { downloadUrl = "" } = await upload(file);
  const get = (headers: Record<string, string>) => fetch(downloadUrl, { headers });
  const whole = await get({});
  const etag = whole.headers.get("etag") ?? "";
  expect(whole.headers.get("accept-ranges")).toBe("bytes");
  for (const [range, start, end] of [
    ["bytes=0-0", 0, 1],
    ["bytes=100-199", 100, 200],
    ["bytes=-10", file.length - 10, file.length],
    ["bytes=50-", 50, file.length],
  ] as const) {
    const answer = await get({ range, "if-range": etag });
    expect(answer.status).toBe(206);
    expect(answer.headers.get("content-range")).toBe(`bytes ${start}-${end - 1}/${file.length}`);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(file.subarray(start, end));
  }
  expect((await get({ range: "bytes=0-9", "if-range": '"other"' })).status).toBe(200);
  expect((await get({ range: `bytes=${file.length}-` })).status).toBe(416);
});

test("the start page loads nothing from elsewhere, and lets nothing else run", async () => {
  const answer = await fetch(service.baseUrl);
  expect(answer.headers.get("content-security-policy")).toMatch("default-src 'self'");
  const page = await answer.text();
  expect(page).not.toMatch(/https?:\/\//);
  const parts = [...page.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, file]) => file);
  expect(parts).toContain("/page/page.js");
  for (const file of parts) expect((await fetch(`${service.baseUrl}${file}`)).status, file).toBe(200);
});

test.each(["make-samples.sh", "..%2Fmain.ts", "%2e%2e/main.ts"])("%s is no sample", async (name) => {
  expect((await fetch(`${service.baseUrl}/samples/${name}`)).status).toBe(404);
});
