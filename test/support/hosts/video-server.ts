/** A video at an address, on a server that behaves as told and counts what it gives. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { contentBytes } from "../content.ts";
import { closeServer, openServer } from "./open-server.ts";
import { rangeOf } from "./range.ts";

export interface Habits {
  /** @default true */
  ranges?: boolean;
  /** Whether the length is told. @default true */
  length?: boolean;
  /** Whether a range tells the length of the whole: a page may not know it of another origin. @default true */
  total?: boolean;
  /** The strong validator of the content, or none. @default "one" */
  version?: string | null;
  /** @default 1 */
  seed?: number;
  /** Each answer breaks off after so many bytes. */
  cutAfter?: number;
  /** Each answer that comes to this byte of the video breaks off there. */
  cutAt?: number;
  /** How it behaves once an answer has broken off. */
  afterCut?: Habits;
  /** From the given answer on there is none. */
  goneAt?: number;
  /** Answers this status in place of the video. */
  status?: number;
  /** Seconds for which it asks to wait then. */
  retryAfter?: number;
  /** Only who brings this cookie gets the video, and every other page gives it. */
  cookie?: string;
  /** Only an address whose signature ends so gives the video; others answer 403. */
  signature?: string;
  redirect?: string;
  /** Bytes per second of each answer. */
  throttle?: number;
  held?: Promise<void>;
  disposition?: string;
}

export type VideoServer = Awaited<ReturnType<typeof serveVideo>>;

const WRITE_SIZE = 256 * 1024;

/**
 * Serves content of a seed at /videos/video.mp4, a redirect there at /moved/video.mp4, and elsewhere the pages it is
 * given, by their path.
 *
 * @param host two names of this machine are two sites
 */
export async function serveVideo(
  size: number,
  habits: Habits = {},
  pages: Record<string, string> = {},
  host: "127.0.0.1" | "localhost" = "127.0.0.1",
) {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", video.origin);
    if (pathname.startsWith("/videos/")) return void serve(request, response, searchParams);
    if (pathname.startsWith("/moved/")) {
      video.requests.push({ range: request.headers.range, headers: request.headers });
      return void response.writeHead(307, { location: pathname.replace("/moved/", "/videos/") }).end();
    }
    const page = pages[pathname];
    response.writeHead(page === undefined ? 404 : 200, {
      "content-type": "text/html; charset=utf-8",
      ...(video.habits.cookie !== undefined && { "set-cookie": `${video.habits.cookie}; path=/` }),
    });
    response.end(page ?? "");
  });

  async function serve(request: IncomingMessage, response: ServerResponse, query: URLSearchParams) {
    const { habits } = video;
    video.underWay++;
    response.once("close", () => {
      video.underWay--;
    });
    video.requests.push({ range: request.headers.range, headers: request.headers });
    const answers = video.requests.length;
    await habits.held;
    if (answers >= (habits.goneAt ?? Number.POSITIVE_INFINITY)) return void request.socket.resetAndDestroy();
    if (habits.redirect !== undefined)
      return void response.writeHead(302, { location: habits.redirect }).end();
    const missing = habits.cookie !== undefined && !request.headers.cookie?.includes(habits.cookie);
    const unsigned = habits.signature !== undefined && !query.get("signature")?.endsWith(habits.signature);
    const status = habits.status ?? (missing ? 401 : unsigned ? 403 : undefined);
    const wait = habits.retryAfter !== undefined && { "retry-after": `${habits.retryAfter}` };
    if (status !== undefined) return void response.writeHead(status, { ...wait }).end("no");
    const { start, end, ...head } = rangeOf(request, size, habits.ranges);
    if (habits.length === false) delete head.headers["content-length"];
    const version = habits.version === undefined ? "one" : habits.version;
    response.writeHead(head.status, {
      "content-type": "video/mp4",
      ...(habits.disposition !== undefined && { "content-disposition": habits.disposition }),
      ...head.headers,
      ...(version !== null && { etag: `"${version}"` }),
      ...(habits.total === false &&
        head.status === 206 && { "content-range": `bytes ${start}-${end - 1}/*` }),
    });
    await pipeline(Readable.from(pieces(start, end, habits)), response).catch(() => response.destroy());
  }

  /** Counts a piece once the next one is asked for: the connection has taken it then. */
  async function* pieces(start: number, end: number, { throttle, seed = 1, ...habits }: Habits) {
    const { cutAfter = Number.POSITIVE_INFINITY, cutAt = Number.POSITIVE_INFINITY, afterCut } = habits;
    const cut = Math.min(start + cutAfter, start < cutAt ? cutAt : Number.POSITIVE_INFINITY);
    for (let at = start; at < end; at += WRITE_SIZE) {
      const stop = Math.min(end, at + WRITE_SIZE, cut);
      if (at >= stop) {
        video.habits = afterCut ?? video.habits;
        throw new Error("cut");
      }
      yield contentBytes(seed, at, stop);
      video.given += stop - at;
      if (throttle !== undefined)
        await new Promise((resolve) => setTimeout(resolve, ((stop - at) / throttle) * 1000));
    }
  }

  const video = {
    origin: "",
    /** The address of the video, without a signature. */
    url: "",
    /** How it behaves from now on. */
    habits,
    connections: 0,
    /** Requests that are neither answered nor broken off. */
    underWay: 0,
    requests: [] as { range: string | undefined; headers: IncomingMessage["headers"] }[],
    /** Bytes of the video it has given away. */
    given: 0,
    /** Breaks off every download that is under way. */
    cut: () => server.closeAllConnections(),
    close: () => closeServer(server),
  };
  server.on("connection", () => {
    video.connections++;
  });
  video.origin = `http://${host}:${await openServer(server)}`;
  video.url = `${video.origin}/videos/video.mp4`;
  return video;
}
