/** Reports of requests without a secret. */

import * as v from "valibot";
import { type Hosts, processHosts } from "../hosts/host.ts";
import { callback, type SchemasOf } from "../options/checks.ts";
import { tell } from "../options/tell.ts";
import { isObject } from "../text/is-object.ts";
import { startTimer } from "../time/clock.ts";

/**
 * Functions that are told of each request and answer. What they throw or reject with is ignored, and not waited for.
 *
 * @internal
 */
export interface RequestHooks {
  /** Called before a request leaves. */
  onRequest?:
    | ((request: {
        /**
         * The purpose of the request.
         *
         * - `request-upload`, `terminate`, `asset`: the calls to the account; the last one reads an asset
         * - `create`, `offset`, `content`, `end`: an upload's creation, the question how far it is, its bytes, its end
         * - `read`: a video that is read from an address, or a range of it
         */
        readonly kind:
          | "request-upload"
          | "terminate"
          | "asset"
          | "create"
          | "offset"
          | "content"
          | "end"
          | "read";
        /** HTTP method. */
        readonly method: string;
        /** Origin of the address: paths and queries of uploads and of signed videos are secrets. */
        readonly origin: string;
        /** Bytes of its body. */
        readonly bytes: number;
      }) => void)
    | undefined;
  /** Called after its answer came, or when none comes any more. */
  onResponse?:
    | ((answer: {
        /** The request: the very object that `onRequest` was given. */
        readonly request: Parameters<NonNullable<RequestHooks["onRequest"]>>[0];
        /** HTTP status; `undefined` where no answer came. */
        readonly status: number | undefined;
        /** Milliseconds from the call to the whole answer; for `read` to its headers. */
        readonly duration: number;
        /** Bytes of the request's body that were handed over. */
        readonly sent: number;
      }) => void)
    | undefined;
}

export type RequestReport = Parameters<NonNullable<RequestHooks["onRequest"]>>[0];

export type ResponseReport = Parameters<NonNullable<RequestHooks["onResponse"]>>[0];

export const requestHooks: SchemasOf<RequestHooks> = {
  onRequest: v.optional(callback<(request: RequestReport) => void>()),
  onResponse: v.optional(callback<(answer: ResponseReport) => void>()),
};

interface Observing {
  /** Gives the bytes handed over so far; without it, all of them with an answer. */
  sent?(): number;
  /** Gives the origin as hooks may see it, where a service chose the host. */
  shownOrigin?(): string;
  /** The hosts that are told of an answer. */
  hosts?: Hosts | undefined;
}

export async function observed<Answer extends { status: number }>(
  { onRequest, onResponse }: RequestHooks,
  { kind, method, origin, bytes }: RequestReport,
  send: () => Promise<Answer>,
  { sent, shownOrigin = () => origin, hosts = processHosts }: Observing = {},
): Promise<Answer> {
  // Only hooks see this origin, and judging it takes longer than the rest of a report.
  const shown = (onRequest ?? onResponse) === undefined ? origin : shownOrigin();
  // Hooks get no more than is named here, whatever the caller's object holds.
  const request = Object.freeze({ kind, method, origin: shown, bytes });
  const elapsed = startTimer();
  const report = (status: number | undefined, whole: number) => {
    if (status !== undefined) hosts.at(origin).hasAnswered = true;
    const answer = { request, status, duration: elapsed(), sent: sent?.() ?? whole };
    tell(onResponse, answer, () => {});
  };
  tell(onRequest, request, () => {});
  try {
    const answer = await send();
    report(answer.status, bytes);
    return answer;
  } catch (error) {
    const status = isObject(error) ? error.httpStatus : undefined;
    report(typeof status === "number" ? status : undefined, 0);
    throw error;
  }
}
