/** An upload host that counts less than it acknowledged: it has forgotten the rest, or hides it before what comes next. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { Requester } from "../../../core/mod.ts";
import { sha256 } from "../content.ts";
import { listen } from "./listen.ts";

export interface Forgetfulness {
  /** Bytes at the end of the first request that it doesn't count. */
  forgets: number;
  /** True if it keeps them, and puts them before what comes next. */
  hides: boolean;
  /** True if the connection breaks instead of the first answer. */
  losesAnswer?: boolean;
}

/** What a store takes as a part; less is hidden again, unless the upload ends with it. */
const LEAST_PART = 5 * 1024 * 1024;

export async function startForgetfulHost({ forgets, hides, losesAnswer = false }: Forgetfulness) {
  let counted = Buffer.alloc(0);
  let hidden = Buffer.alloc(0);
  let length = 0;
  let patches = 0;

  function take(body: Buffer, offset: number): void {
    const end = offset + body.length;
    const all = Buffer.concat([hidden, body]);
    const isShort = hidden.length > 0 && body.length < LEAST_PART && end !== length;
    const left = patches++ === 0 && end !== length ? forgets : isShort ? all.length : 0;
    counted = Buffer.concat([counted, all.subarray(0, all.length - left)]);
    hidden = hides ? all.subarray(all.length - left) : Buffer.alloc(0);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, headers } = request;
    const offset = Number(headers["upload-offset"] ?? 0);
    const body = await buffer(request);
    const told = { "tus-resumable": "1.0.0", "upload-length": `${length}` };
    if (method === "POST") {
      length = Number(headers["upload-length"]);
      return void response.writeHead(201, { "tus-resumable": "1.0.0", location: "/upload" }).end();
    }
    if (method === "HEAD")
      return void response.writeHead(200, { ...told, "upload-offset": `${counted.length}` }).end();
    if (offset !== counted.length) return void response.writeHead(409).end();
    take(body, offset);
    if (losesAnswer && patches === 1) return void request.socket.resetAndDestroy();
    response.writeHead(204, { ...told, "upload-offset": `${offset + body.length}` }).end();
  }

  const server = createServer((request, response) => void answer(request, response).catch(() => {}));
  const tusEndpoint = `${await listen(server)}/create`;
  const location = { asset: { id: "asset-1" }, tusEndpoint, mismatches: [] };
  const requester: Requester = { scope: "test", requestUpload: async () => location };
  return { requester, stored: () => sha256(counted) };
}
