/** Requests to the service as bare as node:http makes them, for the tests of the service itself. */
import { randomBytes } from "node:crypto";
import { type IncomingHttpHeaders, request } from "node:http";
import type { Asset } from "./assets.ts";
import type { SpawnedService } from "./spawned.ts";

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface Sending {
  method?: string;
  headers?: Record<string, string>;
  body?: Buffer | string;
  /** Close the connection after the body's bytes, which are fewer than Content-Length says. */
  cut?: boolean;
  /** Send the body without its length, in pieces of so many bytes. */
  pieces?: number;
}

export interface Located {
  url: string;
  tusEndpoint: string;
  asset: Asset;
  task: { id: string };
}

export const MiB = 1024 * 1024;
export const tus = { "tus-resumable": "1.0.0" };
export const noise = (size: number) => randomBytes(size);
export const authorization = ({ token }: SpawnedService) => ({ authorization: `Bearer ${token}` });

/** One request on a connection of its own; rejects when the connection breaks before an answer. */
export function send(
  url: string,
  { method = "GET", headers = {}, body, cut, pieces }: Sending = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject).on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
      });
    });
    sending.on("error", reject);
    // An end behind the bytes, and no reset, which could overtake them.
    if (cut) sending.write(body, () => sending.socket?.end());
    else if (pieces !== undefined && body !== undefined) {
      for (let at = 0; at < body.length; at += pieces) sending.write(body.slice(at, at + pieces));
      sending.end();
    } else sending.end(body);
  });
}

export function askForLocation(service: SpawnedService, body: string): Promise<Reply> {
  const headers = { ...authorization(service), "content-type": "application/json" };
  return send(`${service.baseUrl}/api/asset/request-upload`, { method: "POST", headers, body });
}

export async function locate(service: SpawnedService, body: object = { name: "A video" }): Promise<Located> {
  const { status, text } = await askForLocation(service, JSON.stringify(body));
  if (status !== 200) throw new Error(`${status} ${text}`);
  return JSON.parse(text) as Located;
}

export function creation(endpoint: string, size: number, more: Sending = {}): Promise<Reply> {
  const headers = { ...tus, "upload-length": String(size), ...more.headers };
  return send(endpoint, { ...more, method: "POST", headers });
}

/** A created upload's address, and its asset. */
export async function create(service: SpawnedService, size: number) {
  const { tusEndpoint, asset } = await locate(service);
  const { headers } = await creation(tusEndpoint, size);
  return { location: headers.location ?? "", id: asset.id, tusEndpoint };
}

export function patch(location: string, offset: number, body: Buffer, more: Sending = {}): Promise<Reply> {
  const headers = {
    ...tus,
    "upload-offset": String(offset),
    "content-type": "application/offset+octet-stream",
    ...more.headers,
  };
  return send(location, { ...more, method: "PATCH", headers, body });
}

/** Sends some of a body that was announced as longer, then breaks the connection. */
export async function patchAndBreak(location: string, offset: number, sent: Buffer, announced: number) {
  const headers = { "content-length": String(announced) };
  await patch(location, offset, sent, { cut: true, headers }).catch(() => {});
}

export async function head(location: string): Promise<number> {
  const { headers } = await send(location, { method: "HEAD", headers: tus });
  return Number(headers["upload-offset"] ?? Number.NaN);
}
