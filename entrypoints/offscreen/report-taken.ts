/** Tells the background what was handed over: a dialog may have closed the popup, which it opens again. */
import { type BackgroundProtocol, callBackground } from "../shared/messages.ts";

export function reportTaken(taken: BackgroundProtocol["taken"]["request"]): void {
  // A background that can't hear it opens nothing; the list has it all the same.
  callBackground("taken", taken).catch(() => {});
}
