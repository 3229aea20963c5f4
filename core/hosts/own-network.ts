/** Hosts that are not the internet's: this machine, and those of the network it is in. */
import ipaddr from "ipaddr.js";
import { isLoopback } from "./loopback.ts";

/** An address of the internet's range that each machine in a well-known cloud reaches its own host by. */
const CLOUD_HOST = "168.63.129.16";
/** Names that no public name server knows: RFC 6762 with its appendix G, RFC 8375, and those without a dot. */
const NAME =
  /^[^.[\]]+$|(?:^|\.)(?:fritz\.box|mshome\.net)$|\.(?:svc|local|localdomain|intranet|internal|private|corp|home|lan|home\.arpa)$/;

/** `ipaddr.js` takes far longer to find that a name is none, and a manifest has an address for each piece. */
const ADDRESS = /^\[|\d$/;

/**
 * True if a host, as `URL` gives it, is this machine or one in its network, where whoever is outside may not send a reader: a router, a
 * camera, or a store behind a firewall.
 */
export function isOwnNetwork(hostname: string): boolean {
  const name = hostname.replace(/\.$/, "");
  const address = name.replace(/^\[|\]$/g, "");
  return ADDRESS.test(name) && ipaddr.isValid(address)
    ? !isPublic(address)
    : NAME.test(name) || isLoopback(name);
}

export function leadsInside(from: URL, to: URL): boolean {
  return to.hostname !== from.hostname && isOwnNetwork(to.hostname) && !isOwnNetwork(from.hostname);
}

/** Addresses that hold an IPv4 address are taken for it only where they are mapped: what translates others is unknown. */
function isPublic(text: string): boolean {
  const address = ipaddr.process(text);
  // In IPv6 hosts of the internet have their addresses in one range, 2000::/3.
  const isInRange = address instanceof ipaddr.IPv4 || (address.parts[0] ?? 0) >> 13 === 1;
  return isInRange && address.range() === "unicast" && address.toString() !== CLOUD_HOST;
}
