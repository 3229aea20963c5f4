/** Servers that listen until the end of a test. */
import type { AddressInfo, Server } from "node:net";
import { afterEach } from "vitest";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    if ("closeAllConnections" in server) (server.closeAllConnections as () => void)();
  }
});

/** Listens on a free port until the end of the test, and returns the origin. */
export async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
