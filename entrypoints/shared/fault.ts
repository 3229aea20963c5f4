/** Faults inside the extension itself, such as a storage that can't be read: no error of the service. */
import { isUpcutError } from "../../core/extension.ts";
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

export const FAULT: Fault = {
  name: "Fault",
  code: "fault",
  message: "Cannot go on: something went wrong inside the extension. Nothing was sent",
  retryable: true,
};

/** The record of what was thrown: made once, where that leaves its context. Others hand it on as it is. */
export function failureOf(thrown: unknown): Failure {
  return isUpcutError(thrown) ? thrown.toJSON() : FAULT;
}

export function isFault(failure: Failure): failure is Fault {
  return failure.code === "fault";
}

/** Messages of errors that nobody foresaw may hold anything. */
export function logName(error: unknown): undefined {
  console.error(error instanceof Error ? error.name : "unknown error");
}
