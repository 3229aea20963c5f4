/** The meaning of a runtime's network error: whether the request can have left, and a word without secrets. */
import { causeOf, codeOf, isForbidden } from "../errors/unexpected-failure.ts";

export interface NetworkError {
  /** True if certainly nothing was sent. */
  neverLeft: boolean;
  /** No secure connection came about, though not because of a certificate: the port may speak plain HTTP. */
  noTls: boolean;
  /** True if the answer was not HTTP: the port may speak TLS. */
  noHttp: boolean;
  /** The runtime's code in brackets, or nothing. */
  words: string;
  /** True if the runtime was started without the flag that allows it: trying again changes nothing. */
  forbidden: boolean;
  /** The failure that the runtime threw, as an error tells it. */
  told: ReturnType<typeof causeOf>;
  /** Why no connection came about, where that is known. */
  cause: Cause | undefined;
}

/** Why no connection came about, as the end of a sentence, and what helps. */
interface Cause {
  why: string;
  step: string;
}

const CAUSES: [RegExp, Cause][] = [
  [
    /ENOTFOUND|EAI_AGAIN|dns error/i,
    { why: "its name is unknown here", step: "Check how the name is written" },
  ],
  [
    /ECONNREFUSED|ConnectionRefused|connection refused/i,
    { why: "it refuses the connection", step: "Check the port, and whether the service runs" },
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/i,
    { why: "its certificate isn't accepted", step: "Check the address and the certificate" },
  ],
  [/bad port/i, { why: "no request may go to its port", step: "Check the port" }],
  [
    /TIMEOUT|TIMEDOUT|timed out/i,
    { why: "it doesn't answer", step: "Check the address, and whether a firewall is between" },
  ],
];

const FORBIDDEN: Cause = { why: "this program may not connect to it", step: "Allow it, as by --allow-net" };

/** Tells that a host can't be reached, and why, without its name and the next step. */
export function whyUnreachable({ cause, words }: NetworkError): string {
  return `could not be reached${cause === undefined ? "" : `: ${cause.why}`}${words}`;
}

const NEVER_LEFT =
  /\bbad port\b|\bport \d+ are blocked|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT|CERT|SELF_SIGNED|ConnectionRefused|FailedToOpenSocket|connection refused|dns error|unable to connect/i;
/** Deno and Node name the phase in these. */
const WHILE_CONNECTING = /client error \(connect\)|before secure TLS connection was established/i;
/** A server's alert about a certificate, for example that it wants one, may come after the request has left. */
const ALERT = /_ALERT_|fatal alert/i;
const NO_TLS = /^ERR_SSL_|^EPROTO\b|before secure TLS connection|tls handshake|corrupt message|fatal alert/i;
const NO_HTTP = /^HPE_|does not match the HTTP|invalid HTTP version/i;

/** @param askedForBody whether the runtime asked for the request's body, where that is known */
export function readNetworkError(error: unknown, askedForBody?: boolean): NetworkError {
  const codes: string[] = [];
  const reason: Omit<NetworkError, "words"> = {
    neverLeft: false,
    noTls: false,
    noHttp: false,
    forbidden: false,
    told: causeOf(error),
    cause: undefined,
  };
  let outer = "";
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    const code = codeOf(cause) ?? "";
    if (isForbidden(cause)) Object.assign(reason, { neverLeft: true, forbidden: true, cause: FORBIDDEN });
    if (/^[\w/]{2,40}$/.test(code)) codes.push(code);
    // Some messages repeat the address, whose words say nothing.
    const message = cause.message.replace(/\bhttps?:\/\/[^\s"')]+/gi, "");
    const text = `${code} ${message}`.trimStart();
    if (WHILE_CONNECTING.test(text) || (NEVER_LEFT.test(text) && !ALERT.test(text))) reason.neverLeft = true;
    if (isHandshake(code, outer, askedForBody)) reason.neverLeft = true;
    if (reason.neverLeft) reason.cause ??= CAUSES.find(([pattern]) => pattern.test(text))?.[1];
    if (NO_TLS.test(text)) reason.noTls = true;
    if (NO_HTTP.test(text)) reason.noHttp = true;
    outer = message;
  }
  const word = codes.at(-1);
  return { ...reason, words: word === undefined ? "" : ` (${word})` };
}

/**
 * Node's fetch gives these codes as its direct cause only while it connects: a connection that breaks later is
 * "other side closed" (20, 22 and 24); `node:https` gives them for both. Bun has one code for both, and asks for a
 * body only when it sends the request.
 */
function isHandshake(code: string, outer: string, askedForBody: boolean | undefined): boolean {
  if (code.startsWith("ERR_SSL_")) return outer === "fetch failed";
  return code === "EPROTO" && askedForBody === false;
}
