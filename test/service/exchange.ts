/** One request and its answer, as the hosts hand them to their handlers. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Body } from "./body.ts";

export interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  /** Raw, still percent-encoded, without the query. */
  path: string;
  query: URLSearchParams;
  body: Body;
}

/** Answers, unless that has happened or nobody is there any more. */
export function answer(
  outgoing: ServerResponse,
  status: number,
  headers: Record<string, string | number> = {},
  body: string | Buffer = "",
): void {
  if (outgoing.headersSent || outgoing.destroyed) return;
  outgoing.statusCode = status;
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  if (status !== 204 && status !== 304 && outgoing.req.method !== "HEAD") {
    outgoing.setHeader("content-length", Buffer.byteLength(body));
    outgoing.end(body);
  } else outgoing.end();
}

export function answerErrors(
  outgoing: ServerResponse,
  status: number,
  headers: Record<string, string>,
  errors: string[],
  nested: boolean,
): void {
  const type = { "content-type": "application/json; charset=utf-8" };
  answer(outgoing, status, { ...headers, ...type }, JSON.stringify({ errors: nested ? [errors] : errors }));
}
