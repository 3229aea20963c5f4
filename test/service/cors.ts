/** CORS as seen on real services: any origin reflected, without credentials. */
import type { IncomingMessage } from "node:http";
import type { Host } from "./switches.ts";

const exposed: Record<Host, string> = {
  api: "Retry-After",
  upload:
    "Location, Upload-Offset, Upload-Length, Upload-Metadata, Upload-Defer-Length, Upload-Expires, " +
    "Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, ETag, Retry-After",
};

/** Headers for an answer to a request that bears an Origin; a preflight's answer needs some more. */
export function corsHeaders(
  host: Host,
  incoming: IncomingMessage,
  { hideHeaders = false } = {},
): Record<string, string> {
  const origin = incoming.headers.origin;
  if (origin === undefined) return {};
  const headers: Record<string, string> = {
    "access-control-allow-origin": origin,
    ...(!hideHeaders && { "access-control-expose-headers": exposed[host] }),
    vary: "Origin",
  };
  if (incoming.method === "OPTIONS") {
    headers["access-control-allow-methods"] = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
    const asked = incoming.headers["access-control-request-headers"];
    if (asked !== undefined) headers["access-control-allow-headers"] = asked;
    headers["access-control-allow-private-network"] = "true";
    headers["access-control-max-age"] = "7200";
  }
  return headers;
}
