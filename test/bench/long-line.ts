/** The long line of the bench: 80 ms there and back, 200 Mbit/s each way. */
import { type ServerProcess, startProcess } from "./sinks.ts";

/** Milliseconds there and back. */
export const RTT = 80;
export const BYTES_PER_SECOND = 25_000_000;

/** Puts such a line in front of an origin. */
export function startLine(origin: string): Promise<ServerProcess> {
  return startProcess("link.ts", origin, `${RTT}`, `${BYTES_PER_SECOND}`);
}
