/** Faults inside the extension itself, such as a storage that can't be read. Core has no code for them. */
import type { ErrorRecord } from "../../core/mod.ts";

/**
 * The record of a fault before anything was sent. A service that fails is a `ServiceError`, so the name tells them
 * apart, also after the record was an error again.
 */
export function faultRecord(purpose: string): ErrorRecord {
  return {
    name: "UpcutError",
    code: "service-failed",
    message: `Cannot ${purpose}: something went wrong inside the extension. Nothing was sent`,
    retryable: true,
  };
}

/** Whether an error came out of the extension and not out of the service. */
export function isFault({ name, code }: ErrorRecord): boolean {
  return name === "UpcutError" && code === "service-failed";
}
