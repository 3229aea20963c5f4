/** Limits of a body, and how proxies and hosts refuse what is beyond them. */
import { drain } from "./body.ts";
import { corsHeaders } from "./cors.ts";
import type { Exchange } from "./exchange.ts";
import type { BodyLimits, Switches } from "./switches.ts";

/** What nginx answers. */
const PAGE =
  "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n" +
  "<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n";

/** Gives a function that refuses a request whose body is not within the limits, and says whether it has. */
export function createBodyLimits(switches: Switches): (exchange: Exchange) => Promise<boolean> {
  /** Of the upload that was created last. */
  let whole = Number.POSITIVE_INFINITY;

  return async ({ incoming, outgoing }) => {
    const { bodyLimits: limits } = switches;
    const { most = Number.POSITIVE_INFINITY, refusal, status = 413, errors } = limits;
    const length = Number(incoming.headers["content-length"] ?? 0);
    const offset = Number(incoming.headers["upload-offset"] ?? 0);
    whole = Number(incoming.headers["upload-length"] ?? whole);
    const refuse = async () => {
      if (refusal === "reset") return void incoming.socket.resetAndDestroy();
      const type = errors === undefined ? "text/html" : "application/json";
      const text = errors === undefined ? PAGE : JSON.stringify({ errors });
      const headers = {
        "content-type": type,
        "content-length": Buffer.byteLength(text),
        connection: "close",
      };
      outgoing.writeHead(status, { ...corsHeaders("upload", incoming), ...headers }).write(text);
      // A connection that is closed while bytes are on their way is reset, and the answer is lost.
      await drain(incoming);
      outgoing.end();
    };
    const isBeyond = whole > (limits.whole ?? Number.POSITIVE_INFINITY);
    if (incoming.method === "POST" && isBeyond) return await refuse().then(() => true);
    if (length > most && refusal === "cut") return await cut().then(() => true);
    if (length > most || misfits(limits, length, offset + length === whole))
      return await refuse().then(() => true);
    if (incoming.headers["content-length"] === undefined) watch();
    return false;

    async function cut(): Promise<void> {
      let bytes = 0;
      for await (const piece of incoming.iterator({ destroyOnReturn: false })) {
        bytes += (piece as Buffer).length;
        if (bytes >= most) return void incoming.socket.resetAndDestroy();
      }
    }

    /** Without a length the limit shows while the body comes, of which what came before is passed on. */
    function watch(): void {
      const push = incoming.push.bind(incoming);
      let bytes = 0;
      incoming.push = (chunk: Buffer | null) => {
        const before = bytes;
        bytes += chunk?.length ?? 0;
        if (before <= most && bytes > most) void refuse();
        return bytes <= most && push(chunk);
      };
    }
  };
}

function misfits({ multipleOf, exactly }: BodyLimits, length: number, isLast: boolean): boolean {
  if (length === 0 || isLast) return false;
  return (multipleOf !== undefined && length % multipleOf !== 0) || (exactly ?? length) !== length;
}
