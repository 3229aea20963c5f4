/** The end of a command before its work is done. */
import process from "node:process";
import { errorFacts } from "../error-codes.ts";
import type { UpcutError } from "../errors.ts";

/** True if every other video would fail as well: the account or its address is refused, whatever is asked for. */
export function stopsAll({ code }: UpcutError): boolean {
  const { next, kept } = errorFacts(code);
  return (next === "check-token" || next === "check-address") && kept === "nothing";
}

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
