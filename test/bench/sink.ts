/**
 * A sink for uploads in a process of its own: speaks what the clients speak, counts every byte and keeps none, so
 * that a client is measured and not a disk. `PUT /checked` makes it hash what it takes; timed runs leave that out.
 *
 * Prints its origin when it is ready, and ends with its standard input. `sink.ts h2` and `sink.ts http/1.1` have a
 * second origin, which encrypts and speaks that version alone; `/secure` tells it.
 */
import { createHash, type Hash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createSecureServer, type ServerHttp2Session } from "node:http2";
import { createServer as createTlsServer } from "node:https";
import type { Server } from "node:net";
import { makeCertificates } from "../support/hosts/certificate.ts";
import { openServer } from "../support/hosts/open-server.ts";

export interface Received {
  bytes: number;
  /** Hex, where it was to be checked. */
  sha256: string | undefined;
  /** TCP connections that its requests came on. */
  connections: number;
  /** When its first byte came, in milliseconds since 1970. */
  firstAt: number | undefined;
}

interface Upload {
  bytes: number;
  hash: Hash | undefined;
  connections: Set<object>;
  firstAt: number | undefined;
}

const uploads = new Map<string, Upload>();
let checked = false;

const [protocol] = process.argv.slice(2);
/** Beside the plain one, where it is wanted. */
let secureOrigin = "";

function listener(request: IncomingMessage, response: ServerResponse): void {
  answer(request, response).catch(() => response.destroy());
}

function openSecure(): Server {
  const { certificate, key } = makeCertificates().server;
  const options = { cert: certificate, key: key.export({ type: "pkcs8", format: "pem" }) };
  if (protocol !== "h2") return createTlsServer(options, listener);
  const secure = createSecureServer({ ...options, settings: { initialWindowSize: WINDOW } });
  secure.on("session", (session: ServerHttp2Session) => session.setLocalWindowSize(2 * WINDOW));
  // Node's HTTP/2 requests and answers do all that is asked here of those of HTTP/1.1.
  return secure.on("request", listener as never);
}

/** More than a long line holds. */
const WINDOW = 16 * 1024 * 1024;

/** The origin as the client named it: it may be that of a line before this. */
function originOf({ headers, socket }: IncomingMessage): string {
  return `${"encrypted" in socket ? "https" : "http"}://${headers[":authority"] ?? headers.host}`;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "" } = request;
  const { pathname } = new URL(request.url ?? "/", "http://sink");
  for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value);
  if (method === "OPTIONS") return void response.writeHead(204).end();
  if (pathname.endsWith("/api/asset/request-upload")) {
    for await (const _ of request);
    return sendJson(response, locate(request));
  }
  if (pathname === "/secure") return sendJson(response, secureOrigin);
  if (pathname === "/checked") {
    checked = method === "PUT";
    return void response.end();
  }
  if (pathname === "/received") return sendJson(response, [...uploads.values()].map(describe));
  const [, kind = "", id = ""] = pathname.split("/");
  const upload = uploads.get(id);
  if (upload === undefined) return void response.writeHead(404).end();
  if (kind === "received") return sendJson(response, describe(upload));
  upload.connections.add(request.socket);
  response.setHeader("Tus-Resumable", "1.0.0");
  if (method === "HEAD") {
    return void response.writeHead(200, { "Upload-Offset": upload.bytes, "Cache-Control": "no-store" }).end();
  }
  for await (const piece of request) take(upload, piece as Buffer);
  if (kind !== "tus") return void response.writeHead(200).end();
  if (method === "POST") response.setHeader("Location", `${originOf(request)}/tus/${id}`);
  response.writeHead(method === "POST" ? 201 : 204, { "Upload-Offset": upload.bytes }).end();
}

const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "*",
  "Access-Control-Allow-Headers": "*, Authorization",
  "Access-Control-Expose-Headers": "*",
  "Access-Control-Max-Age": "600",
};

function locate(request: IncomingMessage): object {
  const id = randomUUID();
  const origin = originOf(request);
  uploads.set(id, {
    bytes: 0,
    hash: checked ? createHash("sha256") : undefined,
    connections: new Set(),
    firstAt: undefined,
  });
  return {
    url: `${origin}/direct/${id}`,
    tusEndpoint: `${origin}/tus/${id}`,
    asset: { id, name: "video" },
    task: { id },
  };
}

function take(upload: Upload, piece: Buffer): void {
  upload.firstAt ??= Date.now();
  upload.bytes += piece.length;
  upload.hash?.update(piece);
}

function describe({ bytes, hash, connections, firstAt }: Upload): Received {
  return { bytes, sha256: hash?.copy().digest("hex"), connections: connections.size, firstAt };
}

function sendJson(response: ServerResponse, body: object | string): void {
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

process.stdin.resume().once("end", () => process.exit(0));
if (protocol !== undefined) secureOrigin = `https://127.0.0.1:${await openServer(openSecure())}`;
console.log(`http://127.0.0.1:${await openServer(createServer(listener))}`);
