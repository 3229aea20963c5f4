/** A connection to Redis that can be cut. */
import { connect, createServer, type Socket } from "node:net";
import { openServer } from "../support/hosts/open-server.ts";

export type Link = Awaited<ReturnType<typeof startLink>>;

/** Listens on a free port and passes everything on to another one. */
export async function startLink(target: number) {
  const open = new Set<Socket>();
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => open.delete(socket));
  };
  const server = createServer({ noDelay: true }, (client) => {
    const redis = connect({ port: target, host: "127.0.0.1", noDelay: true });
    for (const socket of [client, redis]) keep(socket);
    client.pipe(redis).pipe(client);
    client.once("close", () => redis.destroy());
    redis.once("close", () => client.destroy());
  });
  /** Resets what is open; new connections are made at once. */
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    port: await openServer(server),
    cut,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}
