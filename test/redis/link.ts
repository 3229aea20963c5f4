/** A connection to Redis that can be cut. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

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
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}
