/** A video at an address, on a server that behaves as told and counts what it gives. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { contentBytes } from "./content.ts";

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
  /** Each answer falls silent after so many bytes. */
  silentAfter?: number;
  /** From the given answer on the content is said to be another. */
  changesAt?: number;
  /** What tells that: the validator, the date of the last change, or that it is a byte longer. @default "version" */
  tells?: "version" | "date" | "length";
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
  /** Sends readers to another address. */
  redirect?: string;
  /** Bytes per second of each answer. */
  throttle?: number;
  /** What each answer waits for. */
  held?: Promise<void>;
  /** The header that may name the file. */
  disposition?: string;
  /** Says so to every origin, as public stores do. */
  cors?: boolean;
}

export interface VideoServer {
  origin: string;
  /** The address of the video, without a signature. */
  url: string;
  /** How it behaves from now on. */
  habits: Habits;
  /** Requests for the video. */
  requests: { range: string | undefined; headers: IncomingMessage["headers"] }[];
  /** Bytes of the video it has given away. */
  given: number;
  /** From here on it misbehaves no more. */
  behave(): void;
  /** Breaks off every download that is under way. */
  cut(): void;
  close(): Promise<void>;
}

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
): Promise<VideoServer> {
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
    video.requests.push({ range: request.headers.range, headers: request.headers });
    const answers = video.requests.length;
    await habits.held;
    if (answers >= (habits.goneAt ?? Number.POSITIVE_INFINITY)) return void request.socket.resetAndDestroy();
    const cors = habits.cors && { "access-control-allow-origin": "*" };
    if (habits.redirect !== undefined)
      return void response.writeHead(302, { location: habits.redirect, ...cors }).end();
    const missing = habits.cookie !== undefined && !request.headers.cookie?.includes(habits.cookie);
    const unsigned = habits.signature !== undefined && !query.get("signature")?.endsWith(habits.signature);
    const status = habits.status ?? (missing ? 401 : unsigned ? 403 : undefined);
    const wait = habits.retryAfter !== undefined && { "retry-after": `${habits.retryAfter}` };
    if (status !== undefined) return void response.writeHead(status, { ...cors, ...wait }).end("no");
    const found = habits.ranges === false ? null : /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
    const { tells = "version" } = habits;
    const changed = answers >= (habits.changesAt ?? Number.POSITIVE_INFINITY);
    const length = changed && tells === "length" ? size + 1 : size;
    const start = Number(found?.[1] ?? 0);
    const end = Math.min(length, found?.[2] ? Number(found[2]) + 1 : length);
    const version = habits.version === undefined ? "one" : habits.version;
    response.writeHead(found === null ? 200 : 206, {
      "content-type": "video/mp4",
      ...(habits.disposition !== undefined && { "content-disposition": habits.disposition }),
      ...cors,
      ...(habits.length !== false && { "content-length": end - start }),
      ...(tells === "version" && version !== null && { etag: changed ? '"two"' : `"${version}"` }),
      ...(tells === "date" && { "last-modified": new Date(changed ? 2e12 : 1e12).toUTCString() }),
      ...(found !== null && {
        "content-range": `bytes ${start}-${end - 1}/${habits.total === false ? "*" : length}`,
      }),
    });
    const silent = habits.silentAfter !== undefined && start + habits.silentAfter < end;
    const stop = silent ? start + (habits.silentAfter ?? 0) : end;
    await pipeline(Readable.from(pieces(start, stop, habits)), response, { end: !silent }).catch(() =>
      response.destroy(),
    );
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

  const video: VideoServer = {
    origin: "",
    url: "",
    habits,
    requests: [],
    given: 0,
    behave() {
      video.habits = {};
    },
    cut: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  video.origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  video.url = `${video.origin}/videos/video.mp4`;
  return video;
}
