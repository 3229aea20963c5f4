/** Servers of the tests, which this machine alone can reach. */
import type { Server as HttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";

/** Has a server listen, and returns its port: 0 is any free one. */
export function openServer(server: Server, port = 0, host = "127.0.0.1"): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Ends it, with the connections that are open. */
export async function closeServer(server: HttpServer): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
