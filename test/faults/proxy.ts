/** A proxy between a client and one origin of the service that does to a connection what networks do. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { openServer } from "../support/hosts/open-server.ts";

/** What happens to one request and its connection; bytes are those of its body. */
export type Fault = Trouble & {
  /** Called where the connection ends before it happened. */
  missed?(): void;
};

type Trouble =
  /** The connection is reset once so many bytes have passed. */
  | { kind: "reset"; after: number }
  /** Nothing passes any more, and the connection stays. */
  | { kind: "stall"; after: number }
  /** The connection is closed in good order in the middle of the body. */
  | { kind: "half-close"; after: number }
  /** The connection is reset together with the last byte of the body. */
  | { kind: "cut-at-end" }
  /** The request is delivered and worked on; instead of its answer comes a reset. */
  | { kind: "drop-answer" }
  /** The request is delivered, and its answer never comes. */
  | { kind: "hold-answer" }
  | { kind: "delay"; milliseconds: number }
  /** Bytes per second. */
  | { kind: "throttle"; rate: number }
  /** The head of the answer is changed. */
  | { kind: "alter"; change(head: string): string }
  /** The request is not delivered, and something else is answered. */
  | { kind: "answer"; reply(socket: Socket): void };

export interface ProxiedRequest {
  method: string;
  path: string;
  /** Infinity when it isn't announced. */
  length: number;
}

export type Choose = (request: ProxiedRequest) => Fault | undefined;

export type FaultProxy = Awaited<ReturnType<typeof startProxy>>;

/** A fault for the first requests of a method, after those that pass. */
export function faulty(method: string, fault: Fault, { times = 1, skip = 0 } = {}): Choose {
  return (request) => {
    if (request.method !== method || request.length < minimum(fault)) return undefined;
    if (skip-- > 0 || times <= 0) return undefined;
    times--;
    // On a busy machine a client may give up first: then its next request meets the fault.
    return { ...fault, missed: () => void times++ };
  };
}

/** A request that can't reach the place of a fault must not use it up. */
function minimum(fault: Fault): number {
  return "after" in fault ? fault.after : 0;
}

export const NO_FAULT: Choose = () => undefined;

export async function startProxy(target = "") {
  const open = new Set<Socket>();
  let refusing = false;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    hold(client, open);
    if (refusing) return void client.resetAndDestroy();
    const upstream = connect({ port: Number(new URL(proxy.target).port), host: "127.0.0.1", noDelay: true });
    hold(upstream, open);
    relay(client, upstream, counting);
  });
  const port = await openServer(server);
  const resetAll = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  const counts = { bytes: 0, faults: 0 };
  const counting: Relay = {
    choose: (request) => proxy.choose(request),
    passed: (bytes) => {
      counts.bytes += bytes;
    },
    happened: () => {
      counts.faults++;
    },
  };
  const proxy = {
    url: `http://127.0.0.1:${port}`,
    target,
    choose: NO_FAULT,
    /** Body bytes that came from clients. */
    get bytes() {
      return counts.bytes;
    },
    get faults() {
      return counts.faults;
    },
    /** Refuses connections for a while and resets those that are open; "reset" takes each one and resets it. */
    async refuse(milliseconds: number, how: "closed" | "reset" = "closed") {
      counts.faults++;
      refusing = true;
      if (how === "closed") server.close();
      resetAll();
      await delay(milliseconds);
      if (how === "closed") await openServer(server, port);
      refusing = false;
    },
    /** Forgets faults and counts, and resets what is open. */
    clear() {
      proxy.choose = NO_FAULT;
      Object.assign(counts, { bytes: 0, faults: 0 });
      resetAll();
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      resetAll();
      await closed;
    },
  };
  return proxy;
}

function hold(socket: Socket, open: Set<Socket>): void {
  open.add(socket);
  socket.on("error", () => {}).once("close", () => open.delete(socket));
}

interface Relay {
  choose: Choose;
  passed(bytes: number): void;
  happened(): void;
}

/** Carries one connection; a fault belongs to the request it was chosen for, and to the answer of that request. */
function relay(client: Socket, upstream: Socket, { choose, passed, happened: count }: Relay): void {
  let fault: Fault | undefined;
  let isDue = false;
  let ended = false;
  const happened = () => {
    isDue = false;
    count();
  };
  /** The client loses the connection; what has passed still arrives behind the proxy. */
  const breakOff = (how: "reset" | "close") => {
    ended = true;
    happened();
    if (how === "reset") client.resetAndDestroy();
    else client.end();
    upstream.end();
  };
  const gone = new Promise<void>((resolve) => {
    upstream.once("close", resolve);
    client.once("close", resolve);
  });
  const isWithheld = () => fault?.kind === "answer";
  const write = async (bytes: Uint8Array) => {
    if (isWithheld()) return;
    if (bytes.length > 0 && !upstream.destroyed && !upstream.write(bytes))
      await Promise.race([once(upstream, "drain"), gone]);
  };

  /** Passes a piece of a body, and says whether the connection goes on. */
  const pass = async (piece: Uint8Array, before: number, length: number): Promise<boolean> => {
    passed(piece.length);
    const after = before + piece.length;
    const limit = fault !== undefined && "after" in fault ? fault.after : Number.POSITIVE_INFINITY;
    if (after >= limit) {
      await write(piece.subarray(0, limit - before));
      if (fault?.kind !== "stall") breakOff(fault?.kind === "reset" ? "reset" : "close");
      else happened();
      return false;
    }
    await write(piece);
    if (fault?.kind === "throttle") await delay((piece.length / fault.rate) * 1000);
    if (fault?.kind === "cut-at-end" && after === length) {
      breakOff("reset");
      return false;
    }
    return true;
  };

  const answer = () => {
    if (fault?.kind !== "answer") return;
    ended = true;
    happened();
    upstream.end();
    fault.reply(client);
  };

  const carry = async () => {
    let head = Buffer.alloc(0);
    let current: ProxiedRequest | undefined;
    let done = 0;
    for await (const chunk of client.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      // Nobody knows what the connection carries after such an answer.
      if (ended && fault?.kind === "answer") return void client.destroy();
      for (let rest = chunk; rest.length > 0; ) {
        if (current === undefined) {
          head = Buffer.concat([head, rest]);
          const end = head.indexOf("\r\n\r\n");
          if (end < 0) break;
          current = readRequest(head.toString("latin1", 0, end));
          done = 0;
          fault = choose(current);
          isDue = fault !== undefined;
          if (fault?.kind === "delay") {
            happened();
            await delay(fault.milliseconds);
          }
          if (fault?.kind === "throttle") happened();
          await write(head.subarray(0, end + 4));
          rest = head.subarray(end + 4);
          head = Buffer.alloc(0);
          if (current.length === 0 && !(await pass(rest.subarray(0, 0), 0, 0))) return;
        }
        const piece = rest.subarray(0, Math.min(rest.length, current.length - done));
        if (piece.length > 0 && !(await pass(piece, done, current.length))) return;
        done += piece.length;
        rest = rest.subarray(piece.length);
        const last = current.length === Number.POSITIVE_INFINITY && endsChunks(piece);
        if (last || done >= current.length) current = undefined;
        if (current === undefined) answer();
      }
    }
    upstream.end();
  };

  upstream.on("data", (bytes: Buffer) => {
    if (ended) return;
    if (fault?.kind === "drop-answer") return breakOff("reset");
    if (fault?.kind === "hold-answer") return happened();
    if (fault?.kind === "alter") {
      const { change } = fault;
      fault = undefined;
      happened();
      const end = bytes.indexOf("\r\n\r\n");
      client.write(change(bytes.toString("latin1", 0, end)), "latin1");
      client.write(bytes.subarray(end));
      return;
    }
    client.write(bytes);
  });
  upstream.once("end", () => ended || client.end());
  upstream.once("close", () => ended || client.destroy());
  client.once("close", () => {
    if (isDue) fault?.missed?.();
    if (!ended) upstream.destroy();
  });
  carry().catch(() => upstream.destroy());
}

function readRequest(head: string): ProxiedRequest {
  const [, method = "", path = ""] = /^(\S+) (\S+)/.exec(head) ?? [];
  const announced = /^content-length: *(\d+)/im.exec(head)?.[1];
  const chunked = /^transfer-encoding: *chunked/im.test(head);
  return { method, path, length: chunked ? Number.POSITIVE_INFINITY : Number(announced ?? 0) };
}

function endsChunks(piece: Buffer): boolean {
  return piece.subarray(-5).equals(Buffer.from("0\r\n\r\n"));
}
