/** Answers with a file, or the range of it that was asked for. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { answer, type Exchange } from "./exchange.ts";

export async function answerFile(
  { incoming, outgoing }: Pick<Exchange, "incoming" | "outgoing">,
  path: string,
  type: string,
): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) return answer(outgoing, 404, { "content-type": "text/plain" }, "Not found\n");
  const etag = `"${found.size.toString(16)}-${Math.floor(found.mtimeMs).toString(16)}"`;
  const headers: Record<string, string | number> = {
    "content-type": type,
    "accept-ranges": "bytes",
    etag,
    "last-modified": found.mtime.toUTCString(),
    // What a user uploaded must never run as a page of this origin.
    "x-content-type-options": "nosniff",
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "Content-Length, Content-Range, Accept-Ranges, ETag",
  };
  if (incoming.headers["if-none-match"] === etag) return answer(outgoing, 304, headers);

  const condition = incoming.headers["if-range"];
  const current = condition === undefined || condition === etag || condition === headers["last-modified"];
  const range = current ? readRange(incoming.headers.range, found.size) : undefined;
  if (range === null) return answer(outgoing, 416, { ...headers, "content-range": `bytes */${found.size}` });
  const { start, end } = range ?? { start: 0, end: found.size - 1 };
  if (range !== undefined) headers["content-range"] = `bytes ${start}-${end}/${found.size}`;
  headers["content-length"] = end - start + 1;
  outgoing.writeHead(range === undefined ? 200 : 206, headers);
  if (incoming.method === "HEAD" || found.size === 0) return void outgoing.end();
  await pipeline(createReadStream(path, { start, end, highWaterMark: 1024 * 1024 }), outgoing).catch(
    () => {},
  );
}

/** One range, as players and downloads ask for it; undefined for none, null for one outside of the file. */
function readRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | null | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  return start > end || start >= size ? null : { start, end };
}
