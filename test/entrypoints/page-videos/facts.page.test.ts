/** What servers say of a video, and the small pictures that are made of posters: in a browser. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type * as reader from "../../../entrypoints/page-videos/facts.ts";
import { moduleScript } from "../../support/extension/pages/module-script.ts";
import { usePageServer } from "../../support/extension/pages/use-pages.ts";
import { closeServer, openServer } from "../../support/hosts/open-server.ts";

declare const facts: typeof reader;

const server = usePageServer();
const closers: (() => Promise<void>)[] = [];
let page: Page;

beforeAll(async () => {
  page = await server.newPage();
  await page.goto(`${server.origin}/facts`);
  await page.addScriptTag({ content: await moduleScript("page-videos/facts.ts", "facts") });
});
afterAll(() => page.context().close());
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(respond: Respond, isOpen = true) {
  const asked: string[] = [];
  const host = createServer((request, response) => {
    asked.push([request.method, request.headers.range].filter(Boolean).join(" "));
    response.setHeader("access-control-expose-headers", "*");
    if (isOpen) response.setHeader("access-control-allow-origin", "*");
    else {
      response.setHeader("access-control-allow-origin", server.origin);
      response.setHeader("access-control-allow-credentials", "true");
      response.setHeader("access-control-expose-headers", "content-range");
    }
    // The range asks for leave first.
    response.setHeader("access-control-allow-headers", "range");
    respond(request, response);
  });
  const origin = `http://127.0.0.1:${await openServer(host)}`;
  closers.push(() => closeServer(host));
  return { address: `${origin}/1`, asked };
}

const read = (address: string, access: "include" | "omit" | null = "omit", times = 1) =>
  page.evaluate(
    async ([address, access, times]) => {
      const { video } = facts.readFacts(async () => access ?? undefined);
      let found: unknown;
      for (let at = 0; at < times; at++) found = await video(address);
      return found;
    },
    [address, access, times] as const,
  );

const head =
  (status: number, headers: Record<string, string | number>): Respond =>
  (_, response) =>
    response.writeHead(status, headers).end();
const byRange =
  (status: number, headers: Record<string, string | number>): Respond =>
  ({ method }, response) =>
    response.writeHead(method === "HEAD" ? 405 : status, headers).end();

test.each<[string, Respond, object, string[]]>([
  [
    "its length and type",
    head(200, { "content-length": 7, "content-type": "video/mp4; codecs=a" }),
    { size: 7, type: "video/mp4", open: true, refused: false },
    ["HEAD"],
  ],
  [
    "a type that is none of a video",
    head(200, { "content-length": 7, "content-type": "text/html" }),
    { size: 7, open: true, refused: false },
    ["HEAD"],
  ],
  [
    "its length for a range alone",
    byRange(206, { "content-range": "bytes 0-0/90", "content-type": "video/webm" }),
    { size: 90, type: "video/webm", open: true, refused: false },
    ["HEAD", "GET bytes=0-0"],
  ],
  ["no length", byRange(206, {}), { open: true, refused: false }, ["HEAD", "GET bytes=0-0"]],
  [
    "its length as a whole",
    ({ method }, response) =>
      method === "HEAD"
        ? response.writeHead(200).end()
        : response.writeHead(200, { "content-length": 3 }).end("abc"),
    { size: 3, open: true, refused: false },
    ["HEAD", "GET bytes=0-0"],
  ],
  ["that it is gone", head(404, {}), { open: false, refused: true }, ["HEAD", "GET bytes=0-0"]],
])("a server says of a video %s", async (_, respond, found, asked) => {
  const host = await serve(respond);
  expect(await read(host.address)).toEqual(found);
  expect(host.asked.filter((each) => each !== "OPTIONS")).toEqual(asked);
});

test("a video that the person alone may read isn't open", async () => {
  const { address } = await serve(head(200, { "content-length": 7 }), false);
  expect(await read(address, "include")).toEqual({ size: 7, open: false, refused: false });
});

test("a host that may not be asked isn't, and one that keeps everybody out is asked once", async () => {
  const host = await serve(head(200, { "content-length": 7 }));
  expect(await read(host.address, null)).toBe(undefined);
  expect(host.asked).toEqual([]);
  // It refuses cookies, and might let everybody in.
  expect(await read(host.address, "include", 2)).toBe(undefined);
  expect(host.asked).toHaveLength(2);
  const shut = await serve((_, response) => {
    response.removeHeader("access-control-allow-origin");
    response.end();
  });
  expect(await read(shut.address, "omit", 3)).toBe(undefined);
  expect(shut.asked).toHaveLength(1);
});

/** A picture of so many pixels, made by the browser. */
const pictureOf = (width: number, height: number) =>
  page.evaluate(
    async ([width, height]) => {
      const canvas = new OffscreenCanvas(width, height);
      canvas.getContext("2d")?.fillRect(0, 0, width, height);
      return [...new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer())];
    },
    [width, height] as const,
  );

const small = async (body: Uint8Array, status = 200) => {
  const { address } = await serve((_, response) => response.writeHead(status).end(body));
  return await page.evaluate(async (address) => {
    const data = await facts.readFacts(async () => "omit").picture(address);
    if (data === undefined) return undefined;
    const { width, height } = await createImageBitmap(await (await fetch(data)).blob());
    return [data.slice(0, 23), width, height];
  }, address);
};

test("a poster becomes a picture of 160 pixels' width, unless it is none, or far too large", async () => {
  const bytes = Uint8Array.from(await pictureOf(640, 360));
  expect(await small(bytes)).toEqual(["data:image/jpeg;base64,", 160, 90]);
  expect(await small(bytes, 404)).toBe(undefined);
  expect(await small(new TextEncoder().encode("no picture"))).toBe(undefined);
  const most = new Uint8Array(8 * 2 ** 20);
  most.set(bytes);
  expect(await small(most)).toEqual(["data:image/jpeg;base64,", 160, 90]);
  const beyond = new Uint8Array(8 * 2 ** 20 + 1);
  beyond.set(bytes);
  expect(await small(beyond)).toBe(undefined);
});

test("a picture is decoded up to 25 million pixels", async () => {
  const bytes = Uint8Array.from(await pictureOf(1, 1));
  const decodable = (width: number, height: number) => {
    new DataView(bytes.buffer).setUint32(16, width);
    new DataView(bytes.buffer).setUint32(20, height);
    return page.evaluate((bytes) => facts.isDecodable(Uint8Array.from(bytes)), [...bytes]);
  };
  expect(await decodable(5000, 5000)).toBe(true);
  expect(await decodable(5000, 5001)).toBe(false);
  expect(await decodable(0, 5)).toBe(false);
  expect(await decodable(5, 0)).toBe(false);
});
