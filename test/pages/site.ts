/** A web site with videos of every kind, on two origins over real sockets, and what its servers were asked. */
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "../support/content.ts";
import { closeServer, openServer } from "../support/hosts/open-server.ts";
import { rangeOf } from "../support/hosts/range.ts";
import { PAGES } from "./pages.ts";
import { piecesFiles } from "./pieces.ts";

const samples = fileURLToPath(new URL("../service/samples", import.meta.url));

const VIDEOS = ["launch-video.mp4", "deep-dive.webm", "tiny.mp4", "camera-roll.mov"] as const;

export type Video = (typeof VIDEOS)[number];

export interface SiteRequest {
  method: string;
  host: string;
  cookie: string | undefined;
}

export interface Site {
  origin: string;
  /** Another site, with the same videos. */
  mediaOrigin: string;
  sha256: Record<Video, string>;
  page(name: keyof typeof PAGES): string;
  /** What was asked for since the last call, on both origins. */
  takeRequests(): SiteRequest[];
  close(): Promise<unknown>;
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

export async function openSite(): Promise<Site> {
  const files = new Map<string, Buffer>([
    ["paper.pdf", Buffer.from(PAPER)],
    ["poster.png", await readFile(fileURLToPath(new URL("../../public/icon/128.png", import.meta.url)))],
  ]);
  for (const player of PLAYERS) files.set(basename(player), await readPlayer(player));
  for (const [path, content] of piecesFiles()) files.set(path, content);
  const hashes: [Video, string][] = [];
  for (const video of VIDEOS) {
    const bytes = await readFile(join(samples, video));
    files.set(video, bytes);
    hashes.push([video, sha256(bytes)]);
  }

  const requests: SiteRequest[] = [];
  const origins = { pages: "", media: "" };
  const servers = await Promise.all(
    (["pages", "media"] as const).map(async (host) => {
      const server = createServer((request, response) => {
        requests.push({ method: request.method ?? "", host, cookie: request.headers.cookie });
        answer(request, response, files, origins);
      });
      // Names of two sites, both of this machine.
      origins[host] = `http://${host}.localhost:${await openServer(server)}`;
      return server;
    }),
  );
  return {
    origin: origins.pages,
    mediaOrigin: origins.media,
    sha256: Object.fromEntries(hashes) as Record<Video, string>,
    page: (name) => `${origins.pages}/pages/${name}`,
    takeRequests: () => requests.splice(0),
    close: () => Promise.all(servers.map(closeServer)),
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  files: Map<string, Buffer>,
  origins: { pages: string; media: string },
): void {
  const { url = "", headers, method } = request;
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
  const isPiece = habit.endsWith("pieces");
  const bytes = files.get(isPiece ? pathname.slice(habit.length + 1) : name);
  if (bytes === undefined) return void response.writeHead(404).end();
  if (habit === "gated" && !headers.cookie?.includes("member=yes")) return void response.writeHead(401).end();
  if (habit === "expired") return void response.writeHead(403).end("Request has expired");
  const readers: Record<string, string> = {
    open: "*",
    // As servers do that know their own pages.
    "page-pieces": origins.pages,
  };
  const reader = readers[habit];
  const cors = reader !== undefined && { "access-control-allow-origin": reader };
  const { status, start, end, headers: range } = rangeOf(request, bytes.length);
  response.writeHead(status, {
    "content-type": TYPES[extname(pathname)] ?? "application/octet-stream",
    etag: `"${bytes.length}"`,
    "accept-ranges": "bytes",
    ...cors,
    ...range,
  });
  response.end(method === "HEAD" ? undefined : bytes.subarray(start, end));
}
