/** Faults inside the extension itself, such as a storage that can't be read: no error of the service. */
import type { ErrorRecord } from "../../core/mod.ts";

/** A fault before anything was sent. */
export interface Fault {
  name: "Fault";
  code: "fault";
  message: string;
  retryable: true;
  resume?: undefined;
}

/** The end of a call or an upload: an error of core, or a fault. */
export type Failure = ErrorRecord | Fault;

/** The fault of an action that didn't happen. @param purpose completes "Cannot …" */
export function faultOf(purpose: string): Fault {
  return {
    name: "Fault",
    code: "fault",
    message: `Cannot ${purpose}: something went wrong inside the extension. Nothing was sent`,
    retryable: true,
  };
}

export function isFault(failure: Failure): failure is Fault {
  return failure.code === "fault";
}

/** Messages of errors that nobody foresaw may hold anything. */
export function logName(error: unknown): void {
  console.error(error instanceof Error ? error.name : "unknown error");
}
