/** Serves a file on disk to the browser, for tests that can't hand it over otherwise. */
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The address at which the file can be fetched once per call, from any page. */
export async function servedFile(path: string): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "video/mp4" });
    createReadStream(path)
      .pipe(response)
      .once("close", () => server.close());
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/video.mp4`;
}
