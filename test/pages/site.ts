/** A web site with videos of every kind, on two origins over real sockets, and what its servers were asked. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { scratchFolder } from "../scratch.ts";
import { writePlaylist } from "../service/playlist.ts";
import { PAGES } from "./pages.ts";

const samples = fileURLToPath(new URL("../service/samples", import.meta.url));

/** The videos that the pages show. */
const VIDEOS = ["launch-video.mp4", "deep-dive.webm", "tiny.mp4", "camera-roll.mov"] as const;

export type Video = (typeof VIDEOS)[number];

export interface SiteRequest {
  method: string;
  host: string;
  /** With its query. */
  path: string;
  range: string | undefined;
  cookie: string | undefined;
}

export interface Site {
  /** Where the pages are. */
  origin: string;
  /** Another site, with the same videos. */
  mediaOrigin: string;
  sha256: Record<Video, string>;
  size: Record<Video, number>;
  /** The address of a page. */
  page(name: keyof typeof PAGES): string;
  /** What was asked for since the last call, on both origins. */
  takeRequests(): SiteRequest[];
  close(): Promise<void>;
}

const TYPES: Record<string, string> = {
  ".mp4": "video/mp4",
  ".webm": "video/webm",
  ".mov": "video/quicktime",
  ".m3u8": "application/vnd.apple.mpegurl",
  ".mpd": "application/dash+xml",
  ".png": "image/png",
};

/** Starts both origins. */
export async function openSite(): Promise<Site> {
  const folder = await scratchFolder("site");
  await writePlaylist(join(samples, "launch-video.mp4"), folder.path);
  const segments = await readFile(join(folder.path, "segments.mp4"));
  const files = new Map<string, Buffer>([
    ["index.m3u8", await readFile(join(folder.path, "index.m3u8"))],
    ["segments.mp4", segments],
    ["video.mpd", Buffer.from(presentation(segments.length))],
    ["poster.png", await readFile(fileURLToPath(new URL("../../public/icon/128.png", import.meta.url)))],
  ]);
  for (const video of VIDEOS) files.set(video, await readFile(join(samples, video)));
  await folder.remove();

  const requests: SiteRequest[] = [];
  const origins = { pages: "", media: "" };
  const servers = await Promise.all(
    (["pages", "media"] as const).map(async (host) => {
      const server = createServer((request, response) => {
        const { method = "", url = "", headers } = request;
        requests.push({ method, host, path: url, range: headers.range, cookie: headers.cookie });
        answer(request, response, files, origins);
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      // Names of two sites, both of this machine.
      origins[host] = `http://${host}.localhost:${(server.address() as AddressInfo).port}`;
      return server;
    }),
  );
  const each = <Value>(read: (bytes: Buffer) => Value) =>
    Object.fromEntries(VIDEOS.map((video) => [video, read(files.get(video) ?? Buffer.alloc(0))])) as Record<
      Video,
      Value
    >;
  return {
    origin: origins.pages,
    mediaOrigin: origins.media,
    sha256: each((bytes) => createHash("sha256").update(bytes).digest("hex")),
    size: each(({ length }) => length),
    page: (name) => `${origins.pages}/pages/${name}`,
    takeRequests: () => requests.splice(0),
    async close() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

function answer(
  { url = "", headers, method }: IncomingMessage,
  response: ServerResponse,
  files: Map<string, Buffer>,
  origins: { pages: string; media: string },
): void {
  const { pathname } = new URL(url, "http://localhost");
  const [, habit = "", name = ""] = pathname.split("/");
  if (habit === "pages") {
    const page = PAGES[name as keyof typeof PAGES];
    response.writeHead(page === undefined ? 404 : 200, {
      "content-type": "text/html; charset=utf-8",
      "set-cookie": "member=yes; path=/",
    });
    // One page brings the bytes of its video with it.
    const tiny = files.get("tiny.mp4")?.toString("base64") ?? "";
    return void response.end(page?.({ ...origins }).replace("TINY", tiny) ?? "");
  }
  const bytes = files.get(name);
  if (bytes === undefined) return void response.writeHead(404).end();
  if (habit === "gated" && !headers.cookie?.includes("member=yes")) return void response.writeHead(401).end();
  if (habit === "expired") return void response.writeHead(403).end("Request has expired");
  if (habit === "get-only" && method !== "GET") return void response.writeHead(403).end();
  if (habit === "moved") return void response.writeHead(302, { location: `/plain/${name}` }).end();
  if (habit === "moved-away")
    return void response.writeHead(302, { location: `${origins.media}/plain/${name}` }).end();
  const cors = habit === "open" && { "access-control-allow-origin": "*" };
  const common = { "content-type": TYPES[extname(name)] ?? "", etag: `"${bytes.length}"`, ...cors };
  if (habit === "no-length") {
    // Written in two pieces, so that it is sent without a length.
    response.writeHead(200, common);
    if (method === "HEAD") return void response.end();
    response.write(bytes.subarray(0, 1000));
    return void response.end(bytes.subarray(1000));
  }
  const range = habit === "no-range" ? null : /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? "");
  const start = Number(range?.[1] ?? 0);
  const end = Math.min(bytes.length, range?.[2] ? Number(range[2]) + 1 : bytes.length);
  response.writeHead(range ? 206 : 200, {
    ...common,
    "content-length": end - start,
    ...(habit !== "no-range" && { "accept-ranges": "bytes" }),
    ...(range && { "content-range": `bytes ${start}-${end - 1}/${bytes.length}` }),
  });
  response.end(method === "HEAD" ? undefined : bytes.subarray(start, end));
}

/** A DASH manifest of one file. */
function presentation(length: number): string {
  return `<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT10S" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011">
  <Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="${length}"><BaseURL>segments.mp4</BaseURL></Representation></AdaptationSet></Period>
</MPD>`;
}
