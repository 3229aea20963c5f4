/** The log of requests: what tests and the bench count. It holds no query, token or header value that is secret. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Host } from "./switches.ts";

export interface LoggedRequest {
  /** Milliseconds since the epoch, at the request's headers. */
  time: number;
  host: Host;
  method: string;
  /** Without the query. */
  path: string;
  /** null while it is open; "reset" when the connection ended before the answer. */
  status: number | "reset" | null;
  bytesReceived: number;
  uploadOffset: string | null;
  hasAuthorization: boolean;
  contentType: string | null;
  contentLength: string | null;
  transferEncoding: string | null;
  origin: string | null;
  /** The same number for requests that shared a connection. */
  connection: number;
}

export type RequestLog = ReturnType<typeof createRequestLog>;

const LOG_LIMIT = 20_000;

/** @param changed is called when an entry of it has changed */
export function createRequestLog(changed: () => void) {
  let entries: LoggedRequest[] = [];
  const connections = new WeakMap<Socket, number>();
  let connectionCount = 0;
  let clearedAt = 0;

  return {
    changed,
    add(host: Host, incoming: IncomingMessage) {
      const { headers, socket } = incoming;
      const connection = connections.get(socket) ?? ++connectionCount;
      connections.set(socket, connection);
      const entry: LoggedRequest = {
        time: Date.now(),
        host,
        method: incoming.method ?? "",
        path: pathOf(incoming),
        status: null,
        bytesReceived: 0,
        uploadOffset: single(headers["upload-offset"]),
        hasAuthorization: headers.authorization !== undefined,
        contentType: headers["content-type"] ?? null,
        contentLength: headers["content-length"] ?? null,
        transferEncoding: headers["transfer-encoding"] ?? null,
        origin: headers.origin ?? null,
        connection,
      };
      entries.push(entry);
      changed();
      // Cutting a tenth at a time keeps the log from moving in memory at every request.
      if (entries.length > LOG_LIMIT * 1.1) entries = entries.slice(-LOG_LIMIT);
      return entry;
    },
    all: () => entries.slice(-LOG_LIMIT),
    clear() {
      entries = [];
      clearedAt = performance.now();
    },
    /** When it was last cleared, by `performance.now()`. */
    clearedAt: () => clearedAt,
  };
}

export function pathOf(incoming: IncomingMessage): string {
  return (incoming.url ?? "/").split("?", 1)[0] ?? "/";
}

function single(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value) ?? null;
}
