/**
 * The transport for files on disk, on node:http in all three server runtimes: it keeps Content-Length in Deno,
 * reports every piece that left, and sends from two buffers that are used again and again, where that is safe.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { runtimeFetch } from "../http/fetch.ts";
import { readBody } from "../http/limited-body.ts";
import { isRedirect } from "../http/status.ts";
import { isBun, isDeno, sendsAfterCallback } from "../runtime.ts";
import { READ_SIZE } from "../source/source.ts";
import { fetchTransport } from "../transfer/fetch.ts";
import { connectionFailed } from "../transfer/interruption.ts";
import {
  type RequestBody,
  redirected,
  type TransferAnswer,
  type TransferRequest,
  type Transport,
} from "../transfer/transport.ts";
import { variable } from "./system.ts";

/** All files of a process share their connections, as all that fetch sends does. Made with the first request. */
let agents: { "http:": HttpAgent; "https:": HttpsAgent } | undefined;

/**
 * Sends by node:http; connections are kept for a few seconds between requests. Where a proxy carries what fetch sends and
 * not what this does, fetch sends the file too, so that all of an upload goes one way.
 */
export function diskTransport(): Transport {
  if (isProxyForFetchAlone()) return fetchTransport(runtimeFetch);
  // Reported bytes have left the process; two buffers are on their way.
  const unreported = 2 * READ_SIZE;
  return { streams: true, repeats: false, reportsProgress: true, unreported, send: sendByHttp };
}

/** Deno takes the proxy of the environment for both; Bun for fetch; Node 24 for fetch, where it is told to. */
function isProxyForFetchAlone(): boolean {
  const isNamed = () =>
    ["HTTP_PROXY", "HTTPS_PROXY"].some((name) => variable(name) || variable(name.toLowerCase()));
  if (isDeno() || !isNamed()) return false;
  return isBun() || variable("NODE_USE_ENV_PROXY") === "1" || process.execArgv.includes("--use-env-proxy");
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
  // Deno repeats a request whose kept connection ends, also one that was stopped, unless it takes the connection for new.
  outgoing.once("socket", (socket) => {
    outgoing.reusedSocket = false;
    if (socket.connecting) limitConnecting(outgoing, socket);
  });
  const stop = () => outgoing.destroy(new Error("stopped"));
  signal.addEventListener("abort", stop, { once: true });
  let writing: Promise<void> | undefined;
  try {
    const answered = answerOf(outgoing, signal);
    // The answer is awaited below; a failure before that must not count as unhandled.
    answered.catch(() => {});
    if (body === undefined) outgoing.end();
    else {
      // A source that fails ends the request by its signal.
      writing = writeBody(outgoing, body, request.onHandedOver).catch(() => {});
    }
    const answer = await answered;
    if (isRedirect(answer)) throw redirected();
    // The rest of a body that was answered early would leave the connection in disorder.
    if (!outgoing.writableFinished) outgoing.destroy();
    return answer;
  } catch (error) {
    signal.throwIfAborted();
    await writing;
    signal.throwIfAborted();
    if (!(error instanceof Error) || error.name === "UploadError") throw error;
    throw connectionFailed(error);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Milliseconds for a connection to come about: as many as Node's fetch takes. */
const LONGEST_CONNECTING = 10_000;

/** Systems wait for minutes where packets are lost. */
function limitConnecting(outgoing: ClientRequest, socket: Socket): void {
  const late = Object.assign(new Error("no connection in time"), { code: "CONNECT_TIMEOUT" });
  const timer = setTimeout(() => outgoing.destroy(late), LONGEST_CONNECTING);
  for (const event of ["connect", "close"]) socket.once(event, () => clearTimeout(timer));
}

async function answerOf(outgoing: ClientRequest, signal: AbortSignal): Promise<TransferAnswer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // The listener stays: Deno reports one error after another, and one that nobody listens to ends the process.
    outgoing.on("error", reject);
    outgoing.once("close", () => reject(new Error("the connection closed")));
    outgoing.once("response", resolve);
  });
  const text = await readBody(new Response(Readable.toWeb(response) as ReadableStream), signal);
  const header = (name: string) => {
    const value = response.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(", ") : value;
  };
  return { status: response.statusCode ?? 0, header, text };
}

/** Two buffers: one is on its way while the other is filled. */
async function writeBody(
  outgoing: ClientRequest,
  body: RequestBody,
  onHandedOver: (bytes: number) => void,
): Promise<void> {
  const newBuffer = () => new Uint8Array(Math.min(READ_SIZE, body.size));
  const buffers = [newBuffer(), newBuffer()] as const;
  const isReused = !sendsAfterCallback();
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
  const write = (piece: Uint8Array) =>
    new Promise<void>((resolve) => {
      outgoing.write(piece, (error) => {
        if (error) failed = true;
        else {
          handed += piece.length;
          onHandedOver(handed);
        }
        resolve();
      });
    });
  for (let turn: 0 | 1 = 0; body.left > 0; turn = turn === 0 ? 1 : 0) {
    // The last byte may be held back until all before it has left: until then nobody knows whether there is a connection.
    const before = body.left === 1 ? Promise.all(left) : left[turn];
    await Promise.race([before, broken]);
    if (failed || outgoing.destroyed) return;
    const piece = await body.read(isReused ? buffers[turn] : newBuffer());
    left[turn] = write(piece);
  }
  await Promise.race([Promise.all(left), broken]);
  if (!failed && !outgoing.destroyed) outgoing.end();
}
