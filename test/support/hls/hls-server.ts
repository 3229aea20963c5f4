/** Playlists and pieces at addresses, on a server that behaves as told and counts what it gives. */
import { createCipheriv } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { closeServer, openServer } from "../hosts/open-server.ts";
import { rangeOf } from "../hosts/range.ts";

/** What an address answers other than the bytes that are there. */
export interface Habit {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** Breaks the connection after so many bytes. */
  cutAfter?: number;
  /** Ends the answer after so many bytes, without having told a length. */
  endAfter?: number;
  /** Falls silent after so many bytes. */
  silentAfter?: number;
  /** How many requests it is for; then it is forgotten. @default all */
  times?: number;
}

type HlsFile = Uint8Array | string;
export type HlsServer = ReturnType<typeof makeHlsServer>;

export async function startHlsServer(): Promise<HlsServer> {
  const hls = makeHlsServer();
  await hls.listen();
  return hls;
}

/** A server that doesn't listen yet. */
export function makeHlsServer() {
  let running = 0;
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    const { range } = request.headers;
    hls.requests.push(range === undefined ? pathname : `${pathname} ${range}`);
    hls.headers.push(request.headers);
    hls.mostAtOnce = Math.max(hls.mostAtOnce, ++running);
    response.once("close", () => running--);
    const file = hls.files.get(pathname);
    const found = typeof file === "function" ? file(searchParams) : file;
    const bytes = typeof found === "string" ? new TextEncoder().encode(found) : found;
    const habit = takeHabit(hls.habits, pathname);
    // As public stores do, whose pages are read by scripts of others.
    if (hls.isPublic) response.setHeader("access-control-allow-origin", "*");
    const isRefused = hls.accepts?.(request.headers) === false;
    await answer(response, bytes, isRefused ? { status: 403 } : habit).catch(() => response.destroy());
  });
  const hls = {
    origin: "",
    /** Files by their paths; a function is asked for each request. */
    files: new Map<string, HlsFile | ((query: URLSearchParams) => HlsFile | undefined)>(),
    habits: new Map<string, Habit>(),
    /** Whether scripts of other sites may read what it gives. */
    isPublic: true,
    /** Answers 403 to requests whose headers it doesn't accept. */
    accepts: undefined as ((headers: IncomingHttpHeaders) => boolean) | undefined,
    /** Each request, as its path and the range it asks for. */
    requests: [] as string[],
    /** The headers of each request. */
    headers: [] as IncomingHttpHeaders[],
    /** Answers that were under way at once, at most. */
    mostAtOnce: 0,
    get running() {
      return running;
    },
    /** Forgets what it gives, how it behaves, and what it has counted. */
    reset() {
      hls.files.clear();
      hls.habits.clear();
      Object.assign(hls, { requests: [], headers: [], mostAtOnce: 0, accepts: undefined });
    },
    async listen() {
      hls.origin = `http://127.0.0.1:${await openServer(server)}`;
    },
    close: () => closeServer(server),
  };
  return hls;
}

function takeHabit(habits: Map<string, Habit>, path: string): Habit {
  const habit = habits.get(path);
  if (habit === undefined) return {};
  const { times = Number.POSITIVE_INFINITY } = habit;
  if (times <= 1) habits.delete(path);
  else habits.set(path, { ...habit, times: times - 1 });
  return habit;
}

async function answer(response: ServerResponse, file: Uint8Array | undefined, habit: Habit): Promise<void> {
  const { status = file === undefined ? 404 : undefined } = habit;
  if (status !== undefined) return void response.writeHead(status, habit.headers).end(habit.body ?? "no");
  if (file === undefined) return;
  const { start, end, ...head } = rangeOf(response.req, file.length);
  const bytes = file.subarray(start, end);
  if (habit.endAfter !== undefined) delete head.headers["content-length"];
  response.writeHead(head.status, {
    "content-type": "application/octet-stream",
    etag: '"one"',
    ...head.headers,
    ...habit.headers,
  });
  const { cutAfter, endAfter, silentAfter } = habit;
  await new Promise((sent) => response.write(bytes.subarray(0, cutAfter ?? endAfter ?? silentAfter), sent));
  if (silentAfter !== undefined) return;
  if (cutAfter !== undefined) response.destroy();
  else response.end();
}

const SAMPLES = fileURLToPath(new URL("../../core/hls/samples/", import.meta.url));

export function sample(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(SAMPLES + name));
}

export function mediaPlaylist(lines: readonly string[], { ended = true } = {}): string {
  const head = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:3"];
  return [...head, ...lines, ...(ended ? ["#EXT-X-ENDLIST"] : []), ""].join("\n");
}

/** A main playlist of pictures with sound of its own, each at an address. */
export function mainPlaylistWithSound(video: string, audio: string): string {
  return [
    "#EXTM3U",
    `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="s",NAME="x",DEFAULT=YES,URI="${audio}"`,
    '#EXT-X-STREAM-INF:BANDWIDTH=9000,RESOLUTION=160x90,AUDIO="s"',
    video,
  ].join("\n");
}

export function pieceLines(names: readonly string[], seconds = 2): string[] {
  return names.flatMap((name) => [`#EXTINF:${seconds},`, name]);
}

/** Puts all forms of the sample video on a server. */
export function serveSamples(hls: Pick<HlsServer, "files">): void {
  const put = (path: string, content: Uint8Array | string) => hls.files.set(path, content);
  for (const number of [0, 1, 2]) {
    put(`/ts/${number}.ts`, sample(`ts-${number}.mpegts`));
    for (const kind of ["fmp4", "video", "audio"])
      put(`/${kind}/${number}.m4s`, sample(`${kind}-${number}.m4s`));
  }
  put("/audio/3.m4s", sample("audio-3.m4s"));
  for (const kind of ["fmp4", "video", "audio"]) put(`/${kind}/init.mp4`, sample(`${kind}-init.mp4`));
  put("/ts/index.m3u8", mediaPlaylist(pieceLines(["0.ts", "1.ts", "2.ts"])));
  const init = '#EXT-X-MAP:URI="init.mp4"';
  const pieces = pieceLines(["0.m4s", "1.m4s", "2.m4s"]);
  put("/fmp4/index.m3u8", mediaPlaylist([init, ...pieces]));
  put("/video/index.m3u8", mediaPlaylist([init, ...pieces]));
  put(
    "/audio/index.m3u8",
    mediaPlaylist([init, ...pieceLines(["0.m4s", "1.m4s", "2.m4s"], 2.005333), "#EXTINF:0.021333,", "3.m4s"]),
  );
  put("/separate/main.m3u8", mainPlaylist());
  serveRanges(hls);
  serveEncrypted(hls);
}

/** Pictures and sound apart. */
function mainPlaylist(): string {
  return [
    "#EXTM3U",
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="English",LANGUAGE="en",DEFAULT=YES,URI="../audio/index.m3u8"',
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="Deutsch",LANGUAGE="de",URI="../missing/index.m3u8"',
    '#EXT-X-STREAM-INF:BANDWIDTH=95000,RESOLUTION=160x90,CODECS="avc1.64000b,mp4a.40.2",AUDIO="sound"',
    "../video/index.m3u8",
    "",
  ].join("\n");
}

/** The same pieces as ranges of one file: of MPEG-TS, and of MP4. */
function serveRanges(hls: Pick<HlsServer, "files">): void {
  const lineUp = (names: string[]) => {
    const parts = names.map(sample);
    let at = 0;
    const ranges = parts.map(({ length }) => {
      at += length;
      return `${length}@${at - length}`;
    });
    return { file: new Uint8Array(Buffer.concat(parts)), ranges };
  };
  const ts = lineUp(["ts-0.mpegts", "ts-1.mpegts", "ts-2.mpegts"]);
  const mp4 = lineUp(["fmp4-init.mp4", "fmp4-0.m4s", "fmp4-1.m4s", "fmp4-2.m4s"]);
  hls.files.set("/ranges/all.ts", ts.file);
  hls.files.set("/ranges/all.mp4", mp4.file);
  const [first = "", second = "", third = ""] = ts.ranges;
  // The second one follows the first, as playlists may say it.
  const lines = [first, second.replace(/@.*/, ""), third].flatMap((range) => [
    "#EXTINF:2,",
    `#EXT-X-BYTERANGE:${range}`,
    "all.ts",
  ]);
  hls.files.set("/ranges/ts.m3u8", mediaPlaylist(lines));
  const [init = "", ...pieces] = mp4.ranges;
  hls.files.set(
    "/ranges/mp4.m3u8",
    mediaPlaylist([
      `#EXT-X-MAP:URI="all.mp4",BYTERANGE="${init}"`,
      ...pieces.flatMap((range) => ["#EXTINF:2,", `#EXT-X-BYTERANGE:${range}`, "all.mp4"]),
    ]),
  );
}

/** The pieces of MPEG-TS, the first two encrypted with one key and their numbers, the last with another and an IV. */
function serveEncrypted(hls: Pick<HlsServer, "files">): void {
  const keys = [new Uint8Array(16).fill(7), new Uint8Array(16).fill(9)] as const;
  const iv = "0x000102030405060708090a0b0c0d0e0f";
  for (const number of [0, 1, 2]) {
    const own = Buffer.alloc(16);
    own.writeUInt32BE(40 + number, 12);
    const vector = number === 2 ? Buffer.from(iv.slice(2), "hex") : own;
    const cipher = createCipheriv("aes-128-cbc", keys[number === 2 ? 1 : 0], vector);
    const bytes = Buffer.concat([cipher.update(sample(`ts-${number}.mpegts`)), cipher.final()]);
    hls.files.set(`/aes/${number}.ts`, new Uint8Array(bytes));
  }
  hls.files.set("/aes/one.key", keys[0]);
  hls.files.set("/aes/two.key", keys[1]);
  const lines = pieceLines(["0.ts", "1.ts", "2.ts"]);
  hls.files.set(
    "/aes/index.m3u8",
    mediaPlaylist([
      "#EXT-X-MEDIA-SEQUENCE:40",
      '#EXT-X-KEY:METHOD=AES-128,URI="one.key"',
      ...lines.slice(0, 4),
      `#EXT-X-KEY:METHOD=AES-128,URI="two.key",IV=${iv}`,
      ...lines.slice(4),
    ]),
  );
}
