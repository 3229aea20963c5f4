/**
 * Who may ask. The service listens on this computer alone, but any page in its browser can have requests sent there: in
 * the name of a host that the page's owner has led here (DNS rebinding), or from the page's own origin.
 */
import type { IncomingMessage } from "node:http";

/** Whether a request is in a name of this computer, whatever the port: a proxy may stand in between. */
export function isToLoopback({ headers, url = "" }: IncomingMessage): boolean {
  // A request line with another host in it is one to a proxy.
  if (!url.startsWith("/")) return false;
  const name = (headers.host ?? "").replace(/:\d{1,5}$/, "");
  return /^(([\w-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(name);
}

/** Whether a request is to this very port, as all are that nothing stands in between. */
export function isToOwnPort({ headers, socket }: IncomingMessage): boolean {
  const port = /:(\d{1,5})$/.exec(headers.host ?? "")?.[1] ?? "80";
  return Number(port) === socket.localPort;
}

/** Whether a page of another origin sent it, one without an origin included. */
export function isFromElsewhere({ headers }: IncomingMessage): boolean {
  const { host, origin } = headers;
  const site = headers["sec-fetch-site"];
  return (
    (origin !== undefined && origin !== `http://${host}`) ||
    (site !== undefined && site !== "same-origin" && site !== "none")
  );
}
