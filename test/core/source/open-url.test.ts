/** Answers of a video's server that hold something else than a video; `answer-kind.test.ts` has all types and beginnings. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  journalKey,
  openUrl,
  type Source,
  type Uploadable,
  type UploadOptions,
  upload,
} from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, MiB, sha256 } from "../../support/content.ts";
import { listen } from "../../support/hosts/listen.ts";
import { rangeOf } from "../../support/hosts/range.ts";

const PAGE = "<!DOCTYPE html><title>Sign in</title>";
const service = useService();

function serve(
  answer: (request: IncomingMessage, response: ServerResponse, number: number) => void,
): Promise<string> {
  let number = 0;
  return listen(createServer((request, response) => answer(request, response, ++number)));
}

/** Gives a body of a type, in the range that is asked for where the server knows ranges. */
function give(
  request: IncomingMessage,
  response: ServerResponse,
  type: string | undefined,
  body: Uint8Array | string,
  ranges: boolean,
  most?: number,
): void {
  const bytes = Buffer.from(body);
  const { start, end, status, headers } = rangeOf(request, bytes.length, ranges, most);
  response.writeHead(status, {
    ...headers,
    etag: '"one"',
    ...(type !== undefined && { "content-type": type }),
  });
  response.end(bytes.subarray(start, end));
}

const refusal = (video: Uploadable, options?: UploadOptions) =>
  caught(upload(service.client(), video, options));

async function expectRefused(video: string | Source, options?: UploadOptions): Promise<void> {
  const error = await refusal(typeof video === "string" ? new URL(video) : video, options);
  expect(error).toMatchObject({ code: "source-refused", retryable: false });
  expect(error.message).toContain("sign in");
  expect(await service.requests()).toEqual([]);
}

const WAYS = [
  ["in ranges", true],
  ["whole", false],
] as const;

describe.each(WAYS)("an answer that is given %s", (_, ranges) => {
  const serveAs = (type: string | undefined, body: Uint8Array | string) =>
    serve((request, response) => give(request, response, type, body, ranges));

  test("as a page is refused before an asset is made", async () => {
    const address = await serveAs("Text/HTML; charset=utf-8", PAGE);
    await expectRefused(`${address}/video.mp4`);
    await expectRefused(`${address}/video`);
    await expectRefused(`${address}/video.mp4`, { type: "video/mp4", filename: "video.mp4" });
  });

  test.each<[string | undefined, string]>([
    [undefined, PAGE],
    ["video/mp4", PAGE],
    ["application/octet-stream", '{"error": "sign in"}'],
  ])("as %s with the bytes of a text is refused", async (type, text) => {
    await expectRefused(`${await serveAs(type, text)}/video.mp4`);
  });

  test("as nothing at all with the bytes of a video is uploaded", async () => {
    const bytes = content(MiB + 5);
    const { asset } = await upload(service.client(), new URL(`${await serveAs(undefined, bytes)}/video.mp4`));
    expect((await service.whole(asset.id)).sha256).toBe(sha256(bytes));
  });

  test.each([
    ["image/png", "video"],
    ["application/vnd.apple.mpegurl", "#EXTM3U\n"],
    [undefined, "#EXTM3U\n#EXT-X-VERSION:3\n"],
  ])("as %s with the bytes %j is no video, whatever its address ends in", async (type, body) => {
    const address = await serveAs(type, body);
    for (const path of ["video.mp4", "video"])
      expect(await refusal(new URL(`${address}/${path}`))).toMatchObject({ code: "not-a-video" });
    expect(await service.requests()).toEqual([]);
  });

  test("as a page is uploaded where any type is accepted", async () => {
    const address = await serveAs("text/html", PAGE);
    const { asset } = await upload(service.client(), new URL(`${address}/video.mp4`), { type: "any" });
    expect((await service.whole(asset.id)).sha256).toBe(sha256(Buffer.from(PAGE)));
  });

  test("as a page after a redirect is refused, with headers for the address and without", async () => {
    const address = await serve((request, response) => {
      if (request.url === "/video.mp4") return void response.writeHead(302, { location: "/login" }).end();
      give(request, response, "text/html; charset=utf-8", PAGE, ranges);
    });
    await expectRefused(`${address}/video.mp4`);
    const headers = { "x-key": "of the source" };
    await expectRefused(openUrl(new URL(`${address}/video.mp4`), { headers }));
    const error = await caught(journalKey(new URL(`${address}/video.mp4`)));
    expect(error).toMatchObject({ code: "source-refused" });
  });

  test("that is said to have 10 ** 15 bytes is not read", async () => {
    const address = await serve((_, response) => {
      const headers = { "content-type": "video/mp4", etag: '"one"' };
      if (ranges) response.writeHead(206, { ...headers, "content-range": `bytes 0-0/${10 ** 15 - 1}` });
      else response.writeHead(200, { ...headers, "content-length": 10 ** 15 - 1 });
      response.write("v");
    });
    const error = await refusal(new URL(`${address}/video.mp4`));
    expect(error).toMatchObject({ code: "source-unreadable", retryable: false });
    expect(await service.requests()).toEqual([]);
  });
});

test("a page where the video was before ends the upload, which is resumed later", async () => {
  const bytes = content(17 * MiB + 5);
  let signedIn = true;
  const address = await serve((request, response) => {
    if (signedIn) give(request, response, "video/mp4", bytes, true, 8 * MiB);
    else give(request, response, "text/html", PAGE, false);
  });
  const options: UploadOptions = {
    chunkSize: 8 * MiB,
    onProgress({ acknowledged }) {
      if (acknowledged >= 8 * MiB) signedIn = false;
    },
  };
  const account = service.client();
  const error = await caught(upload(account, new URL(`${address}/video.mp4`), options));
  expect(error).toMatchObject({ code: "source-refused", resume: { possible: true } });
  expect((await service.assets())[0]?.sha256).toBeNull();
  signedIn = true;
  const { asset, resumed } = await upload(account, new URL(`${address}/video.mp4`));
  expect(resumed).toBe(true);
  expect((await service.whole(asset.id)).sha256).toBe(sha256(bytes));
});

test.each<[string, number]>([
  ["first", 1],
  ["second", 2],
])("a video that its server packs from the %s range on is uploaded whole or not at all", async (_, from) => {
  const video = content(MiB);
  const packed = gzipSync(video);
  const address = await serve((request, response, number) => {
    if (number >= from) response.setHeader("content-encoding", "gzip");
    // Ranges of a compressed answer count other bytes.
    give(request, response, "video/mp4", number >= from ? packed : video, true);
  });
  const uploading = upload(service.client(), new URL(`${address}/video.mp4`), { method: "resumable" });
  if (from > 1) return expect(await caught(uploading)).toMatchObject({ code: "source-changed" });
  const { asset, size } = await uploading;
  expect(size).toBe(MiB);
  expect((await service.whole(asset.id)).sha256).toBe(sha256(video));
});

test("openUrl() takes the ways of cookies that fetch knows, and no other", () => {
  for (const credentials of ["omit", "same-origin", "include"] as const)
    expect(openUrl(new URL("https://video.example/a.mp4"), { credentials })).toBeDefined();
  expect(() => openUrl(new URL("https://video.example/a.mp4"), { credentials: "all" as "omit" })).toThrow(
    expect.objectContaining({ code: "invalid-option" }),
  );
});
