/** The end of a command before its work is done. */
import { platform } from "node:os";
import process from "node:process";
import type { Client } from "../client.ts";
import { errorFacts } from "../errors/error-codes.ts";
import type { UpcutError } from "../errors/errors.ts";
import type { Requester } from "../service/requester.ts";

/** True if every other video would fail as well: the account or its address is refused, whatever is asked for. */
export function stopsAll(error: UpcutError): boolean {
  const { next, kept } = errorFacts(error.code);
  const isOfAccount = (next === "check-token" || next === "check-address") && kept === "nothing";
  return isOfAccount || isOfFullDisk(error) || isOfFolder(error);
}

/** True if the journal's folder can't be made or used. */
function isOfFolder({ code, cause }: UpcutError): boolean {
  return (
    code === "journal-failed" && /^(EACCES|EPERM|ENOTDIR|EEXIST|ELOOP|ENAMETOOLONG)$/.test(cause?.code ?? "")
  );
}

/** True if the journal's disk takes nothing more. */
export function isOfFullDisk({ code, cause }: UpcutError): boolean {
  return code === "journal-failed" && /^(ENOSPC|EDQUOT|EROFS)$/.test(cause?.code ?? "");
}

/** Reasons for an early end, with their exit codes: those of shells for signals. */
const EXIT_CODES = {
  SIGHUP: 129,
  SIGBREAK: 149,
  SIGINT: 130,
  SIGTERM: 143,
  SIGPIPE: 141,
  output: 1,
  // As of the program timeout.
  "max-duration": 124,
  "max-wait": 1,
} as const;
type Reason = keyof typeof EXIT_CODES;

export class Stopped extends Error {
  override readonly name = "Stopped" as const;
  readonly by: Reason;

  /** True if what is left goes on with the same command. */
  get isPause(): boolean {
    return this.by !== "SIGPIPE" && this.by !== "output";
  }

  constructor(by: Reason) {
    super(`stopped by ${by}`);
    this.by = by;
  }
}

export function exitCodeOf({ by }: Stopped): number {
  return EXIT_CODES[by];
}

/** Signals that ask for an end: Ctrl-C, a request, the end of the terminal or a closed window, and Ctrl-Break of Windows. */
export function signalsOf(system: string) {
  const usual = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  return system === "win32" ? ([...usual, "SIGBREAK"] as const) : usual;
}

/** Stops the work at such a signal; the second time the process ends at once. */
export function stopOnSignals(stopper: AbortController): void {
  for (const by of signalsOf(platform())) {
    process.on(by, () => {
      // A terminal that ends may say so twice, as its shell and by itself.
      if (stopper.signal.aborted && by !== "SIGHUP") process.exit(EXIT_CODES[by]);
      stopper.abort(new Stopped(by));
    });
  }
}

export function stopAfter(stopper: AbortController, milliseconds: number): void {
  setTimeout(() => stopper.abort(new Stopped("max-duration")), milliseconds);
}

/** Milliseconds for which an answer is waited for. */
const LONGEST_WAIT = 5_000;

/**
 * An account that asks for nothing new once it is to stop, and the signal that follows when all was answered: without the
 * answer nobody knows whether there is an asset, and the next command could only say so.
 */
export function answeredBefore(
  stop: AbortSignal,
  client: Client,
): { account: Requester; signal: AbortSignal } {
  const stopper = new AbortController();
  const { signal } = stopper;
  let asking = 0;
  const end = () => stopper.abort(stop.reason);
  const endSoon = () => {
    if (asking === 0) end();
    else setTimeout(end, LONGEST_WAIT);
  };
  if (stop.aborted) endSoon();
  else stop.addEventListener("abort", endSoon);
  const account: Requester = {
    ...client,
    async requestUpload(request, options) {
      stop.throwIfAborted();
      asking++;
      try {
        return await client.requestUpload(request, { ...options, signal });
      } finally {
        asking--;
        if (stop.aborted && asking === 0) end();
      }
    },
  };
  return { account, signal };
}
