/**
 * The end of a command before its work is done.
 *
 * @module
 */

import process from "node:process";

/** Why a command ended early. */
export class Stopped extends Error {
  /** Name of the class. */
  override readonly name = "Stopped" as const;
  /** What asked for it. */
  readonly by: "SIGINT" | "SIGTERM";

  /** Notes what asked for the end. */
  constructor(by: "SIGINT" | "SIGTERM") {
    super(by === "SIGINT" ? "stopped by Ctrl-C" : "stopped by a request to end");
    this.by = by;
  }
}

/** The exit code of a command that a signal ended, as shells give it. */
export function exitCodeOf({ by }: Stopped): number {
  return by === "SIGINT" ? 130 : 143;
}

/** A signal that is aborted by Ctrl-C, or when the process is asked to end; the second time the process ends at once. */
export function stopSignal(): AbortSignal {
  const stopper = new AbortController();
  for (const by of ["SIGINT", "SIGTERM"] as const) {
    process.on(by, () => {
      if (stopper.signal.aborted) process.exit(exitCodeOf(new Stopped(by)));
      stopper.abort(new Stopped(by));
    });
  }
  return stopper.signal;
}
