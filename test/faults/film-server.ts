/** A video at an address, on a server that misbehaves as told. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { contentBytes } from "../content.ts";

export interface Habits {
  /** @default true */
  ranges?: boolean;
  /** Each answer breaks off after so many bytes. */
  cutAfter?: number;
  /** From the given answer on the content is said to be another. */
  changesAt?: number;
  /** From the given answer on there is none. */
  goneAt?: number;
}

export interface FilmServer {
  url: string;
  /** From here on it misbehaves no more. */
  behave(): void;
  close(): void;
}

/** Serves content of seed 1. */
export async function serveFilm(size: number, given: Habits): Promise<FilmServer> {
  let habits = given;
  let answers = 0;
  const server = createServer((request, response) => {
    const { ranges = true, cutAfter = Number.POSITIVE_INFINITY } = habits;
    answers++;
    if (answers >= (habits.goneAt ?? Number.POSITIVE_INFINITY)) return void request.socket.resetAndDestroy();
    const found = ranges ? /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") : null;
    const [start, end] =
      found === null ? [0, size] : [Number(found[1]), Math.min(size, Number(found[2]) + 1)];
    const body = contentBytes(1, start, end);
    const changed = answers >= (habits.changesAt ?? Number.POSITIVE_INFINITY);
    response.writeHead(found === null ? 200 : 206, {
      "content-type": "video/mp4",
      "content-length": body.length,
      etag: changed ? '"two"' : '"one"',
      ...(found !== null && { "content-range": `bytes ${start}-${end - 1}/${size}` }),
    });
    if (body.length <= cutAfter) response.end(body);
    else response.write(body.subarray(0, cutAfter), () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/videos/film.mp4`,
    behave() {
      habits = {};
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
