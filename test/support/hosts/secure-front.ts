/**
 * TLS in front of an upload host, over HTTP/2 or over HTTP/1.1 alone: passes requests on, notes them, and breaks them
 * where it is told to.
 */
import { request as requestBehind } from "node:http";
import {
  constants,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import { createServer } from "node:https";
import type { Socket } from "node:net";
import { makeCertificates } from "./certificate.ts";
import { openServer } from "./open-server.ts";

export interface FrontRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: Http2ServerRequest["headers"];
  /** Major version of HTTP. */
  version: number;
  /** Of the body, so far. */
  bytes: number;
  status: number | undefined;
}

/**
 * What becomes of a request in place of an answer, once so many bytes of its body have come, which are passed on unless
 * they are kept. @default 0 bytes
 */
export type Fault = Answered | Broken;

interface When {
  after?: number;
  kept?: true;
}

interface Answered extends When {
  status: number;
  headers?: Record<string, string>;
}

export interface Broken extends When {
  /**
   * The stream is reset, or refused; all connections break, or say that they take no more requests; nobody reads on; all of
   * the body is kept, and passed on at its end.
   */
  does: "reset" | "refuse" | "break" | "goaway" | "silence" | "buffer";
}

export type SecureFront = Awaited<ReturnType<typeof startSecureFront>>;

/** Settings for tests of speed: a window for the whole line. */
const WINDOW = 16 * 1024 * 1024;
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "*",
  "access-control-allow-headers": "*",
  "access-control-expose-headers": "*",
};
/** Headers of a connection, which the next one has of its own. */
const OWN_HEADERS = /^(:|connection$|keep-alive$|transfer-encoding$|host$)/;

/** @param behind gives the origin that the requests go to */
export async function startSecureFront(behind: () => string, protocol: "h2" | "http/1.1" = "h2") {
  const { certificate, key } = makeCertificates().server;
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  const options = { cert: certificate, key: key.export({ type: "pkcs8", format: "pem" }) };
  const server =
    protocol === "h2"
      ? createSecureServer({ ...options, settings: { initialWindowSize: WINDOW } })
      : createServer(options);
  server.on("request", (request: Http2ServerRequest, response: Http2ServerResponse) => {
    for (const each of [request, response]) each.on("error", () => {});
    answer(request, response);
  });
  server.on("session", (session: ServerHttp2Session) => session.setLocalWindowSize(2 * WINDOW));
  server.on("sessionError", () => {});
  server.on("connection", (socket: Socket) => {
    front.connections++;
    sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
  });

  function answer(request: Http2ServerRequest, response: Http2ServerResponse): void {
    const { method, headers, url } = request;
    if (method === "OPTIONS") return void response.writeHead(204, CORS).end();
    const noted: FrontRequest = {
      method,
      path: url,
      headers,
      version: request.httpVersionMajor,
      bytes: 0,
      status: undefined,
    };
    front.requests.push(noted);
    let fault = front.fault(noted);
    let isSilent = false;
    const sent = Object.entries(headers).filter(([name]) => !OWN_HEADERS.test(name));
    const passed = requestBehind(
      behind() + url,
      { method, headers: Object.fromEntries(sent) },
      (answered) => {
        noted.status = answered.statusCode;
        const told = Object.entries(answered.headers).filter(([name]) => !OWN_HEADERS.test(name));
        response.writeHead(answered.statusCode ?? 0, Object.fromEntries(told));
        answered.pipe(response);
      },
    );
    const breakOff = () => {
      passed.destroy();
      if (noted.version === 2) response.stream?.close(constants.NGHTTP2_INTERNAL_ERROR);
      else request.socket.destroy();
    };
    passed.on("error", breakOff);
    response.on("close", () => passed.destroy());
    const isKept = fault?.kept;
    const held: Buffer[] | undefined = fault && "does" in fault && fault.does === "buffer" ? [] : undefined;
    const happen = (what: Fault) => {
      fault = undefined;
      for (const tell of waiting.splice(0)) setImmediate(tell);
      if ("status" in what) {
        passed
          .removeListener("error", breakOff)
          .on("error", () => {})
          .destroy();
        noted.status = what.status;
        return response.writeHead(what.status, { ...CORS, ...what.headers }).end();
      }
      if (what.does === "buffer") return;
      if (what.does === "silence") {
        isSilent = true;
        return request.pause();
      }
      if (what.does === "goaway") return response.stream.session?.goaway();
      if (what.does === "refuse") return response.stream.close(constants.NGHTTP2_REFUSED_STREAM);
      if (what.does === "reset") return breakOff();
      front.break();
    };
    if (fault !== undefined && (fault.after ?? 0) === 0) happen(fault);
    request.on("data", (piece: Buffer) => {
      noted.bytes += piece.length;
      if (fault !== undefined && noted.bytes >= (fault.after ?? 0)) happen(fault);
      if (held?.push(piece) !== undefined) return;
      if (isKept || passed.destroyed || passed.write(piece)) return;
      request.pause();
      passed.once("drain", () => isSilent || request.resume());
    });
    request.on("end", () => passed.end(held && Buffer.concat(held)));
  }

  const front = {
    origin: `https://127.0.0.1:${await openServer(server)}`,
    /** Preflights left out. */
    requests: [] as FrontRequest[],
    connections: 0,
    fault: (_: FrontRequest): Fault | undefined => undefined,
    /** Waits for the next fault to happen. */
    happened: () => new Promise<void>((resolve) => waiting.push(resolve)),
    break() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    clear() {
      Object.assign(front, { requests: [], connections: 0, fault: () => undefined });
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return front;
}
