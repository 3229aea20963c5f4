/** A connection to Redis that can be cut, and kept away for a while. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Link {
  port: number;
  /** Connections that were made so far. */
  readonly connections: number;
  /** Resets what is open; new connections are made at once. */
  cut(): void;
  /** Resets what is open, and every new connection, until it is called again with `false`. */
  refuse(refused: boolean): void;
  /** Passes nothing on, in either direction, on connections that stay open, until it is called again with `false`. */
  hold(held: boolean): void;
  close(): Promise<void>;
}

/** Listens on a free port and passes everything on to another one. */
export async function startLink(target: number): Promise<Link> {
  const open = new Set<Socket>();
  let isRefused = false;
  let isHeld = false;
  let connections = 0;
  const server = createServer({ noDelay: true }, (client) => {
    keep(client);
    if (isRefused) return void client.resetAndDestroy();
    connections++;
    const redis = connect({ port: target, host: "127.0.0.1", noDelay: true });
    keep(redis);
    for (const [from, to] of [
      [client, redis],
      [redis, client],
    ] as const) {
      from.on("data", (bytes) => to.write(bytes));
      from.once("close", () => to.destroy());
      if (isHeld) from.pause();
    }
  });
  function keep(socket: Socket) {
    open.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => open.delete(socket));
  }
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    cut,
    refuse(refused) {
      isRefused = refused;
      if (refused) cut();
    },
    hold(held) {
      isHeld = held;
      for (const socket of open) held ? socket.pause() : socket.resume();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}
