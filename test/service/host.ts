/** A listening origin: logs each request and lets the switched-on faults have it before, or instead of, its handler. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { closeServer, openServer } from "../support/hosts/open-server.ts";
import { createBody, drain } from "./body.ts";
import { createBodyLimits } from "./body-limits.ts";
import { corsHeaders } from "./cors.ts";
import { answer, type Exchange } from "./exchange.ts";
import { type LoggedRequest, pathOf, type RequestLog } from "./requests.ts";
import { type ByteRule, type Host, type Switches, takeRule } from "./switches.ts";
import { isToLoopback } from "./visitor.ts";

interface HostOptions {
  host: Host;
  port: number;
  switches: Switches;
  log: RequestLog;
  /** False for the service's own pages, which are neither logged nor disturbed. */
  isPublic(path: string): boolean;
  handle(exchange: Exchange): void | Promise<void>;
}

const DRAIN_TIME = 2000;
/** Milliseconds until a request that waits learns of another latency. */
const LATENCY_STEP = 50;

export async function openHost(options: HostOptions) {
  const { host, switches, log } = options;
  // One body may last longer than Node's default of 300 s.
  const settings = { requestTimeout: 0, keepAliveTimeout: 60_000, highWaterMark: 256 * 1024 };
  const open = new Set<Promise<void>>();
  const isRefused = createBodyLimits(switches);
  const server = createServer(settings, (incoming, outgoing) => {
    const served = serve(incoming, outgoing).catch((error: unknown) => {
      console.error(`Cannot answer ${incoming.method} on the ${host} host: ${describe(error)}`);
      answer(outgoing, 500, { "content-type": "text/plain" }, "Internal error\n");
    });
    open.add(served);
    void served.finally(() => open.delete(served));
  });

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    incoming.on("error", () => {});
    if (!isToLoopback(incoming)) {
      // What comes after it on the connection is none of ours either.
      return answer(
        outgoing,
        421,
        { "content-type": "text/plain", connection: "close" },
        "Misdirected request\n",
      );
    }
    const path = pathOf(incoming);
    const method = incoming.method ?? "";
    const query = new URLSearchParams((incoming.url ?? "").slice(path.length));
    if (!options.isPublic(path)) {
      const body = createBody(incoming, { throttle: 0 });
      return options.handle({ incoming, outgoing, path, query, body });
    }

    const arrival = { host, method, path, length: Number(incoming.headers["content-length"] ?? Infinity) };
    const resetAfter = takeRule(switches.resetAfter, arrival);
    const stallAfter = resetAfter ? undefined : takeRule(switches.stallAfter, arrival);
    const body = createBody(incoming, {
      get throttle() {
        return switches.throttle;
      },
      resetAfter,
      stallAfter,
    });
    const exchange: Exchange = { incoming, outgoing, path, query, body };
    const entry = log.add(host, incoming);
    watch(exchange, entry, log.changed, host === "api" ? resetAfter : undefined);
    const arrivedAt = performance.now();
    for (let left = switches.latency; left > 0; left = arrivedAt + switches.latency - performance.now())
      await delay(Math.min(left, LATENCY_STEP));
    // The request belongs to what a reset has forgotten, and is none of what comes after.
    if (log.clearedAt() > arrivedAt) return void incoming.socket.destroy();

    const instead = takeRule(switches.answerStatus, arrival);
    if (instead !== undefined) {
      if (!instead.early) await drain(incoming);
      const headers: Record<string, string> = instead.cors === false ? {} : corsHeaders(host, incoming);
      if (instead.retryAfter !== undefined) headers["retry-after"] = instead.retryAfter;
      if (instead.location !== undefined) headers.location = instead.location;
      if (instead.contentType !== undefined) headers["content-type"] = instead.contentType;
      return answer(outgoing, instead.status, headers, instead.body);
    }
    if (host === "upload" && (await isRefused(exchange))) return;
    if (takeRule(switches.dropAnswer, arrival)) loseAnswer(exchange);
    // A small body of an account call is read at once: all that can be stalled is its answer.
    if (host === "api" && stallAfter !== undefined) return;
    return options.handle(exchange);
  }

  return {
    url: `http://127.0.0.1:${await openServer(server, options.port)}`,
    async close() {
      await closeServer(server);
      // What arrived of a body that was just cut is still to be counted.
      await Promise.race([Promise.all(open), delay(DRAIN_TIME, undefined, { ref: false })]);
    },
  };
}

/** Completes the log entry, and resets an API request whose body nobody here reads. */
function watch(
  { incoming, outgoing }: Exchange,
  entry: LoggedRequest,
  changed: () => void,
  resetAfter?: ByteRule,
): void {
  const push = incoming.push.bind(incoming);
  // Counts what the parser hands over, whether or not a handler reads it, without a stream in between.
  incoming.push = (chunk: Buffer | null) => {
    entry.bytesReceived += chunk?.length ?? 0;
    changed();
    if (resetAfter && entry.bytesReceived >= resetAfter.bytes) incoming.socket.resetAndDestroy();
    return push(chunk);
  };
  if (resetAfter?.bytes === 0) incoming.socket.resetAndDestroy();
  const close = (status: number | "reset") => {
    entry.status ??= status;
    changed();
  };
  outgoing.once("finish", () => close(outgoing.statusCode));
  outgoing.once("close", () => close("reset"));
}

function loseAnswer({ incoming, outgoing }: Exchange): void {
  const lose = () => {
    incoming.socket.resetAndDestroy();
    return outgoing;
  };
  Object.assign(outgoing, { writeHead: lose, write: lose, end: lose, flushHeaders: lose });
}

function describe(error: unknown): string {
  // Messages may hold a path with an upload's id; the name and code do not.
  return error instanceof Error ? `${error.name} ${(error as NodeJS.ErrnoException).code ?? ""}` : "unknown";
}
