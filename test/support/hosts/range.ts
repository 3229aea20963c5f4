/** Answers in ranges. */
import type { IncomingMessage } from "node:http";

/**
 * The bytes that a request asks for, all of them where the server knows no ranges, and how its answer begins.
 *
 * @param most bytes of a range: some servers give less than is asked for
 */
export function rangeOf(
  request: IncomingMessage,
  size: number,
  ranges = true,
  most: number = Number.POSITIVE_INFINITY,
) {
  const found = ranges ? /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") : null;
  const start = Number(found?.[1] ?? 0);
  const end = Math.min(size, found?.[2] ? Number(found[2]) + 1 : size, found ? start + most : size);
  const headers: Record<string, string | number> = { "content-length": end - start };
  if (found !== null) headers["content-range"] = `bytes ${start}-${end - 1}/${size}`;
  return { start, end, status: found === null ? 200 : 206, headers };
}
