/** A server that answers what it is told to, byte by byte, so that an answer may be anything at all. */
import { createServer, type Socket } from "node:net";
import { listen } from "./listen.ts";

/** A request whose headers have come, and whose body was read. */
export interface RawRequest {
  method: string;
  path: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Bytes of the body. */
  size: number;
}

/** Writes an answer; the connection stays open unless it is ended. */
export type RawAnswer = (request: RawRequest, socket: Socket) => void | Promise<void>;

export async function startRawServer(answer: RawAnswer) {
  const sockets = new Set<Socket>();
  const requests: RawRequest[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    readRequests(socket, (request) => {
      requests.push(request);
      return answer(request, socket);
    });
  });
  return {
    origin: await listen(server),
    requests,
    get open() {
      return sockets.size;
    },
  };
}

/** Bodies come with a length or in chunks; either is only counted. */
function readRequests(socket: Socket, handle: (request: RawRequest) => void | Promise<void>): void {
  let pending = "";
  let current: RawRequest | undefined;
  const take = (count: number) => {
    const taken = pending.slice(0, count);
    pending = pending.slice(count);
    return taken;
  };
  const isRead = (request: RawRequest): boolean => {
    if (request.headers["transfer-encoding"] === undefined) {
      const length = Number(request.headers["content-length"] ?? 0);
      request.size += take(length - request.size).length;
      return request.size === length;
    }
    for (;;) {
      const start = pending.indexOf("\r\n") + 2;
      const size = Number.parseInt(pending.slice(0, start), 16);
      if (start < 2 || pending.length < start + size + 2) return false;
      take(start + size + 2);
      request.size += size;
      if (size === 0) return true;
    }
  };
  socket.on("data", (bytes: Uint8Array) => {
    const left = current === undefined ? 0 : Number(current.headers["content-length"] ?? 0) - current.size;
    // Of a long body nothing is kept.
    if (current !== undefined && bytes.length < left) current.size += bytes.length;
    else pending += Buffer.from(bytes).toString("latin1");
    for (;;) {
      current ??= readHead();
      if (current === undefined || !isRead(current)) return;
      const request = current;
      current = undefined;
      Promise.resolve(handle(request)).catch(() => socket.destroy());
    }
  });
  const readHead = (): RawRequest | undefined => {
    const end = pending.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const [first = "", ...lines] = take(end + 4)
      .trimEnd()
      .split("\r\n");
    const [method = "", path = ""] = first.split(" ");
    const headers = lines.map((line) => {
      const [name = "", ...value] = line.split(":");
      return [name.toLowerCase(), value.join(":").trim()];
    });
    return { method, path, headers: Object.fromEntries(headers), size: 0 };
  };
}

export function rawAnswer(
  status: number | string,
  headers: Record<string, string | number>,
  body = "",
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} Answer`, ...lines, "", body].join("\r\n");
}
