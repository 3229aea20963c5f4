/**
 * A sink for uploads in a process of its own: speaks what the clients speak, counts every byte and keeps none, so
 * that a client is measured and not a disk. Below `/checked` it hashes what it takes; timed runs leave that out.
 *
 * Prints its origin when it is ready, and ends with its standard input.
 */
import { createHash, type Hash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What arrived for one location. */
export interface Received {
  bytes: number;
  /** Hex, below `/checked` alone. */
  sha256: string | undefined;
  /** TCP connections that its requests came on. */
  connections: number;
  requests: string[];
}

interface Upload {
  bytes: number;
  hash: Hash | undefined;
  connections: Set<object>;
  requests: string[];
}

const uploads = new Map<string, Upload>();

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "" } = request;
  const { pathname } = new URL(request.url ?? "/", "http://sink");
  for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value);
  if (method === "OPTIONS") return void response.writeHead(204).end();
  if (pathname.endsWith("/api/asset/request-upload")) {
    for await (const _ of request);
    return sendJson(response, locate(request, pathname.startsWith("/checked")));
  }
  const [, kind = "", id = ""] = pathname.split("/");
  const upload = uploads.get(id);
  if (upload === undefined) return void response.writeHead(404).end();
  if (kind === "received") return sendJson(response, describe(upload));
  upload.requests.push(method);
  upload.connections.add(request.socket);
  response.setHeader("Tus-Resumable", "1.0.0");
  if (method === "HEAD") {
    return void response.writeHead(200, { "Upload-Offset": upload.bytes, "Cache-Control": "no-store" }).end();
  }
  if (request.headers["content-type"]?.startsWith("multipart/") === true) {
    take(upload, fileOf(await whole(request)));
    return sendJson(response, { videoId: id });
  }
  for await (const piece of request) take(upload, piece as Buffer);
  if (kind !== "tus") return void response.writeHead(200).end();
  if (method === "POST") response.setHeader("Location", `http://${request.headers.host}/tus/${id}`);
  response.writeHead(method === "POST" ? 201 : 204, { "Upload-Offset": upload.bytes }).end();
}

const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "*",
  "Access-Control-Allow-Headers": "*, Authorization",
  "Access-Control-Expose-Headers": "*",
  "Access-Control-Max-Age": "600",
};

function locate({ headers: { host } }: IncomingMessage, checked: boolean): object {
  const id = randomUUID();
  uploads.set(id, {
    bytes: 0,
    hash: checked ? createHash("sha256") : undefined,
    connections: new Set(),
    requests: [],
  });
  return {
    url: `http://${host}/direct/${id}`,
    tusEndpoint: `http://${host}/tus/${id}`,
    asset: { id, name: "film" },
    task: { id },
  };
}

function take(upload: Upload, piece: Buffer): void {
  upload.bytes += piece.length;
  upload.hash?.update(piece);
}

async function whole(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** The content of the part that has a file name. */
function fileOf(form: Buffer): Buffer {
  const boundary = form.subarray(0, form.indexOf("\r\n"));
  const start = form.indexOf("\r\n\r\n", form.indexOf("filename=")) + 4;
  return form.subarray(start, form.indexOf(boundary, start) - 2);
}

function describe({ bytes, hash, connections, requests }: Upload): Received {
  return { bytes, sha256: hash?.copy().digest("hex"), connections: connections.size, requests };
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

process.stdin.resume().once("end", () => process.exit(0));
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
