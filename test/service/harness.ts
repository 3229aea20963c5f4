/** What the tests of the service share: a running one, and requests as bare as node:http makes them. */
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll } from "vitest";
import type { Asset } from "./assets.ts";
import { type Service, type ServiceOptions, startService } from "./service.ts";
import type { Switches } from "./switches.ts";

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
}

export interface Located {
  url: string;
  tusEndpoint: string;
  asset: Asset;
  task: { id: string };
}

export const MiB = 1024 * 1024;
export const auth = { authorization: "Bearer demo-token" };
export const tus = { "tus-resumable": "1.0.0" };

/** One request on a connection of its own; rejects when the connection breaks before an answer. */
export function send(url: string, { method = "GET", headers = {}, body, cut }: Sending = {}): Promise<Reply> {
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
    else sending.end(body);
  });
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

export function sha256(data: Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

export const noise = (size: number) => randomBytes(size);

/** A service for the tests of one file, on ports of its own. */
export function useServiceInProcess(options: Partial<ServiceOptions> = {}) {
  let directory = "";
  let service: Service | undefined;

  const running = () => {
    if (service === undefined) throw new Error("Cannot use the service before it runs");
    return service;
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "video-service-"));
    service = await startService({ ...options, directory });
  });
  afterEach(async () => {
    await send(`${running().baseUrl}/_demo/switches`, { method: "DELETE" });
  });
  afterAll(async () => {
    await running().close();
    await rm(directory, { recursive: true });
  });

  return {
    url: (path: string) => `${running().baseUrl}${path}`,
    uploadUrl: (path: string) => `${running().uploadUrl}${path}`,

    async demo<Answer>(path: string): Promise<Answer> {
      return JSON.parse((await send(`${running().baseUrl}/_demo/${path}`)).text) as Answer;
    },

    async turn(switches: Partial<Switches>): Promise<void> {
      const reply = await send(`${running().baseUrl}/_demo/switches`, {
        method: "PUT",
        body: JSON.stringify(switches),
      });
      if (reply.status !== 200) throw new Error(reply.text);
    },

    async locate(body: object = { name: "A video" }): Promise<Located> {
      const reply = await send(`${running().baseUrl}/api/asset/request-upload`, {
        method: "POST",
        headers: { ...auth, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
      return JSON.parse(reply.text) as Located;
    },

    /** A created upload's address, and its asset. */
    async create(size: number): Promise<{ location: string; id: string }> {
      const { tusEndpoint, asset } = await this.locate();
      const headers = { ...tus, "upload-length": String(size) };
      const reply = await send(tusEndpoint, { method: "POST", headers });
      return { location: reply.headers.location ?? "", id: asset.id };
    },

    /** The asset once it is ready or failed. */
    async processed(id: string): Promise<{ asset: Asset; sha256: string | null; received: object }> {
      for (;;) {
        const shown = await this.demo<{ asset: Asset; sha256: string | null; received: object }>(
          `assets/${id}`,
        );
        if (["ready", "failed"].includes(shown.asset.status.phase)) return shown;
        await delay(20);
      }
    },
  };
}
