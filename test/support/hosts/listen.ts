/** Servers that listen until the end of a test. */
import type { Server, Socket } from "node:net";
import { afterEach } from "vitest";
import { openServer } from "./open-server.ts";

const servers = new Set<Server>();
const sockets = new Set<Socket>();
afterEach(() => {
  for (const server of servers) server.close();
  for (const socket of sockets) socket.destroy();
  servers.clear();
  sockets.clear();
});

/** Listens on a free port until the end of the test, and returns the origin. */
export async function listen(server: Server): Promise<string> {
  servers.add(server);
  server.on("connection", (socket: Socket) => sockets.add(socket));
  return `http://127.0.0.1:${await openServer(server)}`;
}
