/** Answers of a video's server that hold something else than a video. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { journalKey } from "../../core/journal/mod.ts";
import { createClient, type UploadOptions, upload } from "../../core/mod.ts";
import { caught } from "../caught.ts";
import { content, sha256 } from "../content.ts";
import { useService } from "../service/use-service.ts";

const MiB = 1024 * 1024;
const PAGE = "<!DOCTYPE html><title>Sign in</title>";
const service = useService();
let server: Server | undefined;

const client = () => createClient({ baseUrl: service.baseUrl, token: service.token });

/** Serves each request as told, with its number from 1 on. */
async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, number: number) => void,
): Promise<string> {
  let number = 0;
  const started = createServer((request, response) => answer(request, response, ++number));
  server = started;
  await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

/** Gives a body of a type, in the range that is asked for where the server knows ranges. */
function give(
  request: IncomingMessage,
  response: ServerResponse,
  type: string | undefined,
  body: Uint8Array,
  ranges: boolean,
  etag = '"one"',
): void {
  const found = ranges ? /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") : null;
  const start = Number(found?.[1] ?? 0);
  const end = Math.min(body.length, found?.[2] ? Number(found[2]) + 1 : body.length);
  response.writeHead(found === null ? 200 : 206, {
    ...(type !== undefined && { "content-type": type }),
    ...(found !== null && { "content-range": `bytes ${start}-${end - 1}/${body.length}` }),
    "content-length": end - start,
    etag,
  });
  response.end(body.subarray(start, end));
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

async function expectRefused(address: string, options?: UploadOptions): Promise<void> {
  const error = await caught(upload(client(), new URL(address), options));
  expect(error).toMatchObject({ code: "source-refused", retryable: false });
  expect(error.message).toContain("sign in");
  expect(await service.requests()).toEqual([]);
}

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve) ?? resolve(undefined));
  server = undefined;
});

/** The ways a server gives what it holds. */
const WAYS = [
  ["in ranges", true],
  ["whole", false],
] as const;

describe.each(WAYS)("an answer that is given %s", (_, ranges) => {
  test.each([
    "text/html",
    "Text/HTML; charset=utf-8",
    "  text/html  ;charset=utf-8",
    "text / html",
    "text/html, video/mp4",
    "video/mp4, text/html",
    'application/octet-stream; note="a, b", text/html',
    "text/plain",
    "text/x-anything",
    "application/json",
    "application/problem+json; charset=utf-8",
    "application/vnd.api+json",
    "application/x-ndjson",
    "application/xml",
    "application/atom+xml",
    "application/xhtml+xml",
    "application/javascript",
    "application/x-javascript",
    "image/svg+xml",
    "application/x-www-form-urlencoded",
    "application/yaml",
  ])("as %s is refused before an asset is made", async (type) => {
    const address = await serve((request, response) => give(request, response, type, bytesOf(PAGE), ranges));
    await expectRefused(`${address}/video.mp4`);
    await expectRefused(`${address}/video`);
    await expectRefused(`${address}/video.mp4`, { type: "video/mp4", filename: "video.mp4" });
  });

  test.each<[string, string | undefined, string]>([
    ["a page", undefined, PAGE],
    ["a page", "application/octet-stream", `\ufeff\r\n\t <HTML lang="en">`],
    ["a page", "binary/octet-stream", "<!-- a comment --><html>"],
    ["a page", "video/mp4", PAGE],
    ["an XML text", undefined, '<?xml version="1.0"?><Error/>'],
    ["a JSON text", "application/octet-stream", '{"error": "sign in"}'],
    ["a JSON text", undefined, '\n[ {"error": "sign in"} ]'],
  ])("without a telling type and with the bytes of %s is refused (%s)", async (_name, type, text) => {
    const address = await serve((request, response) => give(request, response, type, bytesOf(text), ranges));
    await expectRefused(`${address}/video.mp4`);
  });

  test.each([undefined, "", "application/octet-stream", "video/mp4", "application/mp4", "audio/mp4"])(
    "as %s with the bytes of a video is uploaded",
    async (type) => {
      const bytes = content(MiB + 5);
      const address = await serve((request, response) => give(request, response, type, bytes, ranges));
      const { asset } = await upload(client(), new URL(`${address}/video.mp4`));
      expect((await service.whole(asset.id)).sha256).toBe(sha256(bytes));
    },
  );

  test.each([
    "application/vnd.apple.mpegurl",
    "Application/X-mpegURL; charset=utf-8",
    "audio/mpegurl",
    "audio/x-mpegurl",
    "application/dash+xml",
    "image/png",
    "multipart/form-data",
    "font/woff2",
  ])("as %s is no video, whatever its address ends in", async (type) => {
    const address = await serve((request, response) =>
      give(request, response, type, bytesOf("#EXTM3U\n"), ranges),
    );
    for (const path of ["video.mp4", "video"])
      expect(await caught(upload(client(), new URL(`${address}/${path}`)))).toMatchObject({
        code: "not-a-video",
      });
    expect(await service.requests()).toEqual([]);
  });

  test("with the bytes of a playlist is no video", async () => {
    const body = bytesOf("#EXTM3U\n#EXT-X-VERSION:3\n");
    const address = await serve((request, response) => give(request, response, undefined, body, ranges));
    const error = await caught(upload(client(), new URL(`${address}/video.mp4`)));
    expect(error).toMatchObject({ code: "not-a-video" });
  });

  test("as a page is uploaded where any type is accepted", async () => {
    const address = await serve((request, response) =>
      give(request, response, "text/html", bytesOf(PAGE), ranges),
    );
    const { asset } = await upload(client(), new URL(`${address}/video.mp4`), { anyType: true });
    expect((await service.whole(asset.id)).sha256).toBe(sha256(bytesOf(PAGE)));
  });

  test("as a page after a redirect is refused, with headers for the address and without", async () => {
    const address = await serve((request, response) => {
      if (request.url === "/video.mp4") return void response.writeHead(302, { location: "/login" }).end();
      give(request, response, "text/html; charset=utf-8", bytesOf(PAGE), ranges);
    });
    await expectRefused(`${address}/video.mp4`);
    await expectRefused(`${address}/video.mp4`, { sourceHeaders: { "x-key": "of the source" } });
    expect(await caught(journalKey(new URL(`${address}/video.mp4`)))).toMatchObject({
      code: "source-refused",
    });
  });

  test("as a page where the video was before, ends the upload, which is resumed later", async () => {
    const bytes = content(27 * MiB + 5);
    let signedIn = true;
    const address = await serve((request, response, number) => {
      if (!signedIn) return give(request, response, "text/html", bytesOf(PAGE), false);
      if (ranges || number > 1) return give(request, response, "video/mp4", bytes, ranges);
      response.writeHead(200, { "content-type": "video/mp4", "content-length": bytes.length, etag: '"one"' });
      response.write(bytes.subarray(0, 20 * MiB), () => {
        signedIn = false;
        response.destroy();
      });
    });
    const options: UploadOptions = {
      chunkSize: 8 * MiB,
      onProgress({ acknowledged }) {
        if (ranges && acknowledged >= 8 * MiB) signedIn = false;
      },
    };
    const account = client();
    const error = await caught(upload(account, new URL(`${address}/video.mp4`), options));
    expect(error).toMatchObject({ code: "source-refused", resume: { possible: true } });
    expect((await service.assets())[0]?.sha256).toBeNull();
    signedIn = true;
    const { asset, resumed } = await upload(account, new URL(`${address}/video.mp4`));
    expect(resumed).toBe(true);
    expect((await service.whole(asset.id)).sha256).toBe(sha256(bytes));
  });
});

describe("a video that its server packs", () => {
  test.each<[string, number | undefined]>([
    ["from the first range on", 1],
    ["from the second range on", 2],
  ])("%s is uploaded whole or not at all, since its ranges count other bytes", async (_, from = 1) => {
    const video = content(MiB);
    const packed = gzipSync(video);
    const address = await serve((request, response, number) => {
      if (number >= from) response.setHeader("content-encoding", "gzip");
      give(request, response, "video/mp4", number >= from ? packed : video, true);
    });
    const options = { method: "resumable" } as const;
    const uploading = upload(client(), new URL(`${address}/video.mp4`), options);
    if (from > 1) return expect(await caught(uploading)).toMatchObject({ code: "source-changed" });
    const { asset, size } = await uploading;
    expect(size).toBe(MiB);
    expect((await service.whole(asset.id)).sha256).toBe(sha256(video));
  });

  test.each([true, false])(
    "that is said to have 10 ** 15 bytes is not read (by ranges: %s)",
    async (ranges) => {
      const address = await serve((_, response) => {
        const headers = { "content-type": "video/mp4", etag: '"one"' };
        if (ranges) response.writeHead(206, { ...headers, "content-range": `bytes 0-0/${10 ** 15 - 1}` });
        else response.writeHead(200, { ...headers, "content-length": 10 ** 15 - 1 });
        response.write("v");
      });
      const error = await caught(upload(client(), new URL(`${address}/video.mp4`)));
      expect(error).toMatchObject({ code: "source-unreadable", retryable: false });
      expect(await service.requests()).toEqual([]);
    },
  );
});
