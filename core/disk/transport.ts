/**
 * The transport for files on disk, on node:http in all three server runtimes: it keeps Content-Length in Deno,
 * reports every piece that left, and sends from two buffers that are used again and again.
 *
 * @module
 */

import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { readNetworkError } from "../http/network-error.ts";
import { isRedirect } from "../http/status.ts";
import { READ_SIZE, type Slice } from "../source/source.ts";
import { redirected } from "../transfer/body.ts";
import { Interruption } from "../transfer/interruption.ts";
import type { TransferAnswer, TransferRequest, Transport } from "../transfer/transport.ts";

let agents: { "http:": HttpAgent; "https:": HttpsAgent } | undefined;

/** Sends by node:http. Connections are kept for a few seconds between requests. */
export function diskTransport(): Transport {
  // What is reported has left the process; two buffers are on their way.
  const unreported = 2 * READ_SIZE;
  return { streams: true, repeats: false, reportsProgress: true, unreported, send: sendByHttp };
}

async function sendByHttp(request: TransferRequest): Promise<TransferAnswer> {
  const { signal, body } = request;
  signal.throwIfAborted();
  const url = new URL(request.url);
  const secure = url.protocol === "https:";
  agents ??= { "http:": new HttpAgent({ keepAlive: true }), "https:": new HttpsAgent({ keepAlive: true }) };
  const outgoing = (secure ? httpsRequest : httpRequest)(url, {
    method: request.method,
    headers: { ...request.headers, ...(body && { "Content-Length": body.size }) },
    agent: secure ? agents["https:"] : agents["http:"],
  });
  const stop = () => outgoing.destroy(new Error("stopped"));
  signal.addEventListener("abort", stop, { once: true });
  let writing: Promise<void> | undefined;
  let sourceFailure: unknown;
  try {
    const answered = answerOf(outgoing);
    // It is awaited below; a failure before that must not count as unhandled.
    answered.catch(() => {});
    if (body === undefined) outgoing.end();
    else {
      writing = writeBody(outgoing, body, request.onHandedOver).catch((error: unknown) => {
        sourceFailure = error;
        outgoing.destroy(new Error("the source failed"));
      });
    }
    const answer = await answered;
    if (isRedirect(answer)) throw redirected();
    // The rest of a body that was answered early would leave the connection in disorder.
    if (!outgoing.writableFinished) outgoing.destroy();
    return answer;
  } catch (error) {
    signal.throwIfAborted();
    await writing;
    if (sourceFailure !== undefined) throw sourceFailure;
    if (!(error instanceof Error) || error.name === "UploadError") throw error;
    throw new Interruption("connection", `the connection failed${readNetworkError(error).words}`);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function answerOf(outgoing: ClientRequest): Promise<TransferAnswer> {
  return new Promise((resolve, reject) => {
    outgoing.once("error", reject);
    outgoing.once("close", () => reject(new Error("the connection closed")));
    outgoing.once("response", (response: IncomingMessage) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        text += piece;
      });
      response.once("error", reject);
      response.once("aborted", () => reject(new Error("the answer broke off")));
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, header: (name) => headerOf(response, name), text }),
      );
    });
  });
}

function headerOf(response: IncomingMessage, name: string): string | undefined {
  const value = response.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Two buffers: one is on its way while the other is filled. */
async function writeBody(
  outgoing: ClientRequest,
  body: Slice,
  onHandedOver: (bytes: number) => void,
): Promise<void> {
  const { fill } = body;
  if (fill === undefined) throw new Error("only files on disk are sent this way");
  const buffers = [
    new Uint8Array(Math.min(READ_SIZE, body.size)),
    new Uint8Array(Math.min(READ_SIZE, body.size)),
  ] as const;
  const left: [Promise<void>, Promise<void>] = [Promise.resolve(), Promise.resolve()];
  let failed = false;
  // Bun never calls back for a piece it was given while the connection broke.
  const broken = new Promise<void>((resolve) => {
    const fail = () => {
      failed = true;
      resolve();
    };
    outgoing.once("error", fail).once("close", fail);
  });
  let handed = 0;
  for (let at = 0, turn: 0 | 1 = 0; at < body.size; turn = turn === 0 ? 1 : 0) {
    await Promise.race([left[turn], broken]);
    if (failed || outgoing.destroyed) return;
    const count = await fill(buffers[turn], at);
    at += count;
    const piece = buffers[turn].subarray(0, count);
    left[turn] = new Promise((resolve) => {
      outgoing.write(piece, (error) => {
        if (error) failed = true;
        else {
          handed += piece.length;
          onHandedOver(handed);
        }
        resolve();
      });
    });
  }
  await Promise.race([Promise.all(left), broken]);
  if (!failed && !outgoing.destroyed) outgoing.end();
}
