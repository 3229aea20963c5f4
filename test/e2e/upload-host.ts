/** A small upload host that keeps what it is sent and by whom, and answers a request otherwise where it is told to. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closeServer, openServer } from "../support/hosts/open-server.ts";

export interface ReceivedRequest {
  method: string;
  /** Path and query. */
  path: string;
  authorization: string | undefined;
  origin: string | undefined;
  /** Of the body. */
  bytes: number;
}

export interface UploadHost {
  origin: string;
  /** The host's direct-upload and resumable-upload location. */
  locations: { url: string; tusEndpoint: string };
  /** The upload that was created last. */
  created: string;
  /** What was sent, preflights left out. */
  requests: ReceivedRequest[];
  connections: number;
  /** Answers a request in place of the host; "break" resets its connection. */
  answer: (request: ReceivedRequest) => Given | Promise<Given>;
  clear(): void;
  close(): Promise<void>;
}

type Given = { status: number; headers?: Record<string, string> } | "break" | undefined;

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "*",
  "access-control-allow-headers": "*",
  "access-control-expose-headers": "*",
};

/** Starts the host. Whatever address it is asked for is an upload, so that also a redirect to it ends well. */
export async function startUploadHost(name = "127.0.0.1"): Promise<UploadHost> {
  const offsets = new Map<string, number>();
  let length = 0;
  let uploads = 0;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "/", headers } = request;
    const received = { method, path, authorization: headers.authorization, origin: headers.origin, bytes: 0 };
    if (method !== "OPTIONS") host.requests.push(received);
    for await (const piece of request) received.bytes += piece.length;
    if (method === "OPTIONS") return void response.writeHead(204, CORS).end();
    const other = await host.answer(received);
    if (other === "break") return void request.socket.destroy();
    if (other !== undefined)
      return void response.writeHead(other.status, { ...CORS, ...other.headers }).end();
    if (method === "GET") return void response.writeHead(404, CORS).end();
    if (method === "POST") {
      length = Number(headers["upload-length"] ?? length);
      host.created = `${host.origin}/files/${++uploads}`;
      return void response.writeHead(201, { ...CORS, location: host.created }).end();
    }
    const offset = (offsets.get(path) ?? 0) + received.bytes;
    offsets.set(path, offset);
    const state = { "upload-offset": `${offset}`, "upload-length": `${length}`, "tus-resumable": "1.0.0" };
    response.writeHead(method === "PUT" || method === "HEAD" ? 200 : 204, { ...CORS, ...state }).end();
  }

  const server = createServer((request, response) => {
    // A request that breaks off is what some tests are about.
    respond(request, response).catch(() => response.destroy());
  });
  server.on("connection", () => host.connections++);
  const port = await openServer(server, 0, name);
  const origin = `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
  const host: UploadHost = {
    origin,
    locations: { url: `${origin}/direct?token=one`, tusEndpoint: `${origin}/tus?token=one` },
    created: "",
    requests: [],
    connections: 0,
    answer: () => undefined,
    clear() {
      offsets.clear();
      Object.assign(host, { requests: [], connections: 0, answer: () => undefined });
    },
    close: () => closeServer(server),
  };
  return host;
}
