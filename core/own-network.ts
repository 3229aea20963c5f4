/**
 * Hosts that are not the internet's: this machine, and those of the network it is in.
 *
 * @module
 */

/**
 * Whether a host is this machine, where a plain http location gives nothing away.
 *
 * @param hostname as `URL` gives it, in small letters and with IPv6 addresses in brackets
 * @returns whether what is sent there stays on this machine
 * @example Tell this machine from another one
 * ```ts
 * import { isLoopback } from "@upcut/core/validate";
 *
 * console.log(isLoopback("localhost"), isLoopback("video.example")); // true false
 * ```
 */
export function isLoopback(hostname: string): boolean {
  const name = withoutDot(hostname);
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    /^\[::(?:1|ffff:7f[\da-f]{2}:[\da-f]{1,4})?\]$/.test(name) ||
    /^(?:127(?:\.\d{1,3}){3}|0\.0\.0\.0)$/.test(name)
  );
}

/** Private (RFC 1918), link-local, and shared (RFC 6598) addresses. */
const IPV4 =
  /^(?:10(?:\.\d{1,3}){3}|(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))(?:\.\d{1,3}){2})$/;
/** The same as parts of an IPv6 address. */
const MAPPED_IPV4 = /^\[::ffff:(?:a[\da-f]{2}|c0a8|a9fe|ac1[\da-f]|64[4-7][\da-f]):[\da-f]{1,4}\]$/;
const IPV6 = /^\[f(?:[cd][\da-f]|e[89ab])[\da-f]:[\da-f:]{1,40}\]$/;
/** Names that no public name server knows: RFC 6762 with its appendix G, RFC 8375, and those without a dot. */
const NAME =
  /^[^.[\]]+$|(?:^|\.)fritz\.box$|\.(?:svc|local|localdomain|intranet|internal|private|corp|home|lan|home\.arpa)$/;

/**
 * Whether a host is this machine or one in its network, where whoever is outside may not send a reader: a router, a
 * camera, or a store behind a firewall.
 *
 * @param hostname as `URL` gives it, in small letters and with IPv6 addresses in brackets
 * @returns whether it is no host of the internet
 * @example Tell a router from a site
 * ```ts
 * import { isOwnNetwork } from "@upcut/core/validate";
 *
 * console.log(isOwnNetwork("192.168.0.1"), isOwnNetwork("video.example")); // true false
 * ```
 */
export function isOwnNetwork(hostname: string): boolean {
  const name = withoutDot(hostname);
  return [IPV4, MAPPED_IPV4, IPV6, NAME].some((pattern) => pattern.test(name)) || isLoopback(name);
}

/** A name may end with a dot, and means the same. */
function withoutDot(hostname: string): string {
  return hostname.replace(/\.$/, "");
}
