/** A port that nobody listens at. None that systems choose by themselves: another test could be given it the moment after. */
import { once } from "node:events";
import { createServer } from "node:net";
import { openServer } from "./open-server.ts";

const [FIRST, COUNT] = [20_000, 12_000];

export async function freePort(): Promise<number> {
  const server = createServer();
  const port = FIRST + Math.floor(Math.random() * COUNT);
  const isFree = await openServer(server, port).then(
    () => true,
    () => false,
  );
  if (!isFree) return await freePort();
  server.close();
  await once(server, "close");
  return port;
}
