/** Hosts that are this machine. */

/** True if a host, as `URL` gives it, is this machine, where a plain http location gives nothing away. */
export function isLoopback(hostname: string): boolean {
  // A name may end with a dot, and means the same.
  const name = hostname.replace(/\.$/, "");
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    /^\[::(?:1|ffff:(?:7f[\da-f]{2}:[\da-f]{1,4}|0:0))?\]$/.test(name) ||
    /^(?:127(?:\.\d{1,3}){3}|0\.0\.0\.0)$/.test(name)
  );
}
