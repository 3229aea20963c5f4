/** A web site with videos of every kind, on two origins over real sockets, and what its servers were asked. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { mediaPlaylist, pieceLines } from "../hls-server.ts";
import { scratchFolder } from "../scratch.ts";
import { writePlaylist } from "../service/playlist.ts";
import { PAGES } from "./pages.ts";
import { piecesFiles } from "./pieces.ts";

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
  /** The page that asked; the extension sends none. */
  referrer: string | undefined;
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

/** A PDF of one empty page. */
const PAPER = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
`;

const TYPES: Record<string, string> = {
  ".mp4": "video/mp4",
  ".webm": "video/webm",
  ".mov": "video/quicktime",
  ".m3u8": "application/vnd.apple.mpegurl",
  ".mpd": "application/dash+xml",
  ".png": "image/png",
  ".pdf": "application/pdf",
  ".js": "text/javascript",
};

const PLAYERS = ["hls.js/dist/hls.min.js", "dashjs/dist/modern/umd/dash.all.min.js"];

async function readPlayer(path: string): Promise<Buffer> {
  return await readFile(new URL(`node_modules/${path}`, import.meta.url)).catch(() => {
    throw new Error("Cannot read the players of the pages: run npm ci --prefix test/pages");
  });
}

/** Starts both origins. */
export async function openSite(): Promise<Site> {
  const folder = await scratchFolder("site");
  await writePlaylist(join(samples, "launch-video.mp4"), folder.path);
  const playlist = await readFile(join(folder.path, "index.m3u8"), "utf8");
  const segments = await readFile(join(folder.path, "segments.mp4"));
  const videos = new Map<string, Buffer>();
  const files = new Map<string, Buffer>([
    ["index.m3u8", Buffer.from(playlist)],
    ["segments.mp4", segments],
    ["paper.pdf", Buffer.from(PAPER)],
    ["poster.png", await readFile(fileURLToPath(new URL("../../public/icon/128.png", import.meta.url)))],
  ]);
  for (const player of PLAYERS) files.set(basename(player), await readPlayer(player));
  for (const [path, content] of piecesFiles()) files.set(path, content);
  for (const video of VIDEOS) videos.set(video, await readFile(join(samples, video)));
  for (const [video, bytes] of videos) files.set(video, bytes);
  await folder.remove();

  const requests: SiteRequest[] = [];
  const origins = { pages: "", media: "" };
  const servers = await Promise.all(
    (["pages", "media"] as const).map(async (host) => {
      const server = createServer((request, response) => {
        const { method = "", url = "", headers } = request;
        const { range, cookie, referer: referrer } = headers;
        requests.push({ method, host, path: url, range, cookie, referrer });
        answer(request, response, files, origins);
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      // Names of two sites, both of this machine.
      origins[host] = `http://${host}.localhost:${(server.address() as AddressInfo).port}`;
      return server;
    }),
  );
  const each = <Value>(read: (bytes: Buffer) => Value) =>
    Object.fromEntries(VIDEOS.map((video) => [video, read(videos.get(video) ?? Buffer.alloc(0))])) as Record<
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
  // Nothing in the address says what is there.
  if (habit === "split")
    return void response.writeHead(200, { "content-type": TYPES[".m3u8"] ?? "" }).end(splitPlaylist(origins));
  const isPiece = habit.endsWith("pieces");
  const file =
    habit === "download"
      ? [...files.keys()].find((each) => each.startsWith(`${name}.`))
      : isPiece
        ? pathname.slice(habit.length + 1)
        : name;
  const bytes = files.get(file ?? "");
  if (bytes === undefined) return void response.writeHead(404).end();
  if (habit === "gated" && !headers.cookie?.includes("member=yes")) return void response.writeHead(401).end();
  if (habit === "expired") return void response.writeHead(403).end("Request has expired");
  if (habit === "get-only" && method !== "GET") return void response.writeHead(403).end();
  if (habit === "moved-away")
    return void response.writeHead(302, { location: `${origins.media}/plain/${name}` }).end();
  const readers: Record<string, string> = {
    open: "*",
    "open-pieces": "*",
    // As servers do that know their own pages.
    "page-pieces": origins.pages,
  };
  const reader = readers[habit];
  const cors = reader !== undefined && { "access-control-allow-origin": reader };
  const saved = habit === "download" && {
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="Saved ${file}"`,
  };
  const common = {
    "content-type": TYPES[extname(pathname)] ?? "application/octet-stream",
    ...saved,
    etag: `"${bytes.length}"`,
    ...cors,
  };
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

/** Lies with the pages, and its pieces at the other site. */
function splitPlaylist({ media }: { media: string }): string {
  return mediaPlaylist(pieceLines([0, 1, 2].map((number) => `${media}/page-pieces/ts/${number}.ts`)));
}
