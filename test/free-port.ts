/** A port that nobody listens at, for programs that can't choose one by themselves. */
import { once } from "node:events";
import { createServer } from "node:net";
import { openServer } from "./open-server.ts";

export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await openServer(server);
  server.close();
  await once(server, "close");
  return port;
}
