/** Headers of the caller's own, beside those that a request has by itself. */
import * as v from "valibot";
import { kindOf } from "../errors/unexpected-failure.ts";
import { headers, invalidOption, unless } from "../options/checks.ts";
import { describeValue } from "../redaction/redaction.ts";
import { untilAborted } from "../time/abort.ts";
import type { RequestReport } from "./observe.ts";

export type OwnHeaders =
  | Record<string, string>
  | ((request: RequestReport) => Record<string, string> | Promise<Record<string, string>>);

/** Headers that say where a request goes, what it holds and how it is framed: with others the bytes would be miscounted. */
const SET_HERE =
  /^(?:upload-.*|tus-.*|content-(?:length|type|encoding|range)|host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|x-http-method-override)$/i;

/** Completes "headers …" for those that nobody may give. */
export function headersProblem(given: unknown): string | undefined {
  const valid = v.safeParse(headers, given);
  if (!valid.success) return valid.issues[0].message;
  const taken = Object.keys(valid.output).find((name) => SET_HERE.test(name));
  return taken && `holds ${describeValue(taken)}, which is set for each request`;
}

/** Completes "headers …" for those that the caller may not give. */
function problemOf(given: unknown): string | undefined {
  const problem = headersProblem(given);
  const authorization = Object.keys(given ?? {}).find((name) => /^authorization$/i.test(name));
  if (problem !== undefined || authorization === undefined) return problem;
  return `holds ${describeValue(authorization)}: the client's token is sent as that, and to upload hosts with uploadAuthorization`;
}

export const ownHeaders: v.GenericSchema<OwnHeaders | undefined> = v.optional(
  unless<OwnHeaders>((value) => (typeof value === "function" ? undefined : problemOf(value))),
);

/** @throws {InputError} `invalid-option` where the function of headers fails, or gives what can't be sent. */
export async function headersFor(
  given: OwnHeaders | undefined,
  report: () => RequestReport,
  how: { purpose: string; signal: AbortSignal | undefined; milliseconds: number },
): Promise<Record<string, string>> {
  if (typeof given !== "function") return given ?? {};
  const { purpose, signal, milliseconds } = how;
  const late = () => new Error("it takes too long");
  const asked = async () => await given(Object.freeze({ ...report() }));
  const found = await untilAborted<unknown>(asked(), signal, { milliseconds, late }).catch((error) => {
    signal?.throwIfAborted();
    // The error of that function is the caller's own, and may hold a secret.
    throw invalidOption(purpose, `the function of headers failed (${kindOf(error)})`, error);
  });
  const problem = problemOf(found ?? {});
  if (problem !== undefined) throw invalidOption(purpose, `what the function of headers gave ${problem}`);
  return (found ?? {}) as Record<string, string>;
}

/** The texts in headers that an answer may echo. */
export function secretsIn(given: Record<string, string>): string[] {
  return Object.values(given).flatMap((value) => [value, withoutScheme(value)]);
}

/** A value such as "Bearer …" without its first word. */
export function withoutScheme(value: string): string {
  return value.replace(/^\w+ +/, "");
}
