/** The end of a command before its work is done. */
import process from "node:process";
import type { ErrorCode } from "../errors.ts";

/** Errors after which every other video would fail as well. */
export const STOPS_ALL: ReadonlySet<ErrorCode> = new Set([
  "unauthorized",
  "forbidden",
  "origin-refused",
  "wrong-address",
  "redirected",
]);

/** Reasons for an early end, with their exit codes: those of shells for signals. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGPIPE: 141, output: 1 } as const;
type Reason = keyof typeof EXIT_CODES;

export class Stopped extends Error {
  override readonly name = "Stopped" as const;
  readonly by: Reason;

  constructor(by: Reason) {
    super(`stopped by ${by}`);
    this.by = by;
  }
}

export function exitCodeOf({ by }: Stopped): number {
  return EXIT_CODES[by];
}

/** Stops the work at Ctrl-C, or when the process is asked to end; the second time the process ends at once. */
export function stopOnSignals(stopper: AbortController): void {
  for (const by of ["SIGINT", "SIGTERM"] as const) {
    process.on(by, () => {
      if (stopper.signal.aborted) process.exit(EXIT_CODES[by]);
      stopper.abort(new Stopped(by));
    });
  }
}
