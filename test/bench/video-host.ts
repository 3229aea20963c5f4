/** Serves videos at addresses, in ranges, as a web server does. */
import { once } from "node:events";
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { pipeline } from "node:stream";

export interface VideoHost {
  addressOf(path: string): string;
  close(): void;
}

/** Serves the files of a folder. */
export async function startVideoHost(folder: string): Promise<VideoHost> {
  const server = createServer((request, response) => {
    const path = join(folder, basename(request.url ?? ""));
    const { size } = statSync(path);
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    const [start, end] =
      range === null ? [0, size - 1] : [Number(range[1]), Math.min(Number(range[2]), size - 1)];
    response.writeHead(range === null ? 200 : 206, {
      "Content-Type": "video/mp4",
      "Content-Length": end - start + 1,
      ETag: `"${size}"`,
      ...(range !== null && { "Content-Range": `bytes ${start}-${end}/${size}` }),
    });
    if (request.method === "HEAD") return void response.end();
    pipeline(createReadStream(path, { start, end, highWaterMark: 1024 * 1024 }), response, () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    addressOf: (path) => `http://127.0.0.1:${port}/${basename(path)}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
