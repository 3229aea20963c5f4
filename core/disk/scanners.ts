/** Programs that open each new file for a moment, such as virus scanners on Windows, where nobody else may move it then. */
import { platform } from "node:os";
import { codeOf } from "../errors/unexpected-failure.ts";
import { delay } from "../time/abort.ts";
import { startTimer } from "../time/clock.ts";

/** Milliseconds for which a file in use is tried again. */
const PATIENCE = 1_000;
const INTERVAL = 20;
const IN_USE: readonly unknown[] = ["EPERM", "EBUSY", "EACCES"];

/** Tries work with a file again for a second, where another program may have it open. */
export async function pastScanners<T>(
  work: () => Promise<T>,
  mayBeInUse: boolean = platform() === "win32",
): Promise<T> {
  const elapsed = startTimer();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!mayBeInUse || !IN_USE.includes(codeOf(error)) || elapsed() > PATIENCE) throw error;
      await delay(INTERVAL, undefined);
    }
  }
}
