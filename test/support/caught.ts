/** What a call rejects with, noted in every form in which it could show a secret, for the search after the run. */
import { appendFileSync } from "node:fs";
import { inspect } from "node:util";
import { MARKER } from "./marker.ts";

/** The error that a call throws or rejects with; fails when it does neither. */
export async function caught(
  call: (() => unknown) | Promise<unknown>,
): Promise<Error & Record<string, unknown>> {
  let value: unknown;
  try {
    value = await (typeof call === "function" ? call() : call);
  } catch (error) {
    note(error);
    return error as Error & Record<string, unknown>;
  }
  throw new Error(`expected a failure, got ${inspect(value)}`);
}

/** Writes an error to the log of the run, and fails at once if it shows a secret. */
export function note(error: unknown): void {
  const shown = exposures(error);
  const log = process.env.UPCUT_THROWN_LOG;
  if (log !== undefined) appendFileSync(log, `${shown.join("\n")}\n`);
  const leak = shown.find((text) => text.includes(MARKER));
  if (leak !== undefined) throw new Error(`an error shows a secret: ${leak.replaceAll(MARKER, "«secret»")}`);
}

/** Everything that shows an error: its texts, its JSON, its inspection with hidden properties, its causes. */
export function exposures(error: unknown): string[] {
  const shown: string[] = [];
  for (let each = error, depth = 0; each !== undefined && each !== null && depth < 5; depth++) {
    shown.push(String(each), inspect(each, { depth: 10, showHidden: true, getters: true }));
    if (!(each instanceof Error)) break;
    shown.push(each.message, each.stack ?? "", JSON.stringify(each) ?? "");
    for (const name of Object.getOwnPropertyNames(each)) {
      shown.push(`${name}: ${inspect((each as unknown as Record<string, unknown>)[name], { depth: 10 })}`);
    }
    each = each.cause;
  }
  return shown;
}
