/** Which runtime this is and what it can do: asked when something is called, never at import, and only here. */
import { isObject } from "./text/is-object.ts";

type LengthStream = new (length: number) => TransformStream<Uint8Array, Uint8Array>;

interface NodeHash {
  update(bytes: Uint8Array | string): NodeHash;
  digest(encoding: "hex"): string;
}

interface NodeCrypto {
  getHashes(): string[];
  createHash(name: string): NodeHash;
  createHmac(name: string, key: string): NodeHash;
}

/** True if this is Deno, which sends broken requests again by itself and reads the size of a Blob. */
export function isDeno(): boolean {
  return "Deno" in globalThis;
}

/**
 * True if bytes that were written to a request of node:http must stay as they are for good: Deno before 2.8 calls back as soon
 * as it has taken them, and sends them later.
 */
export function sendsAfterCallback(): boolean {
  const deno: unknown = Reflect.get(globalThis, "Deno");
  if (!isObject(deno)) return false;
  const version = isObject(deno.version) ? String(deno.version.deno) : "";
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < 2 || (major === 2 && minor < 8);
}

/** True if this is Bun, which has one error for connections that never came about and that broke later. */
export function isBun(): boolean {
  return "Bun" in globalThis;
}

/** The stream of known length that edge workers need for a body over HTTP/1.1; `undefined` elsewhere. */
export function lengthStream(): LengthStream | undefined {
  return (globalThis as { FixedLengthStream?: LengthStream }).FixedLengthStream;
}

/** True if a request's body may be a stream over HTTP/1.1: in server runtimes and edge workers, not in browsers. */
export function canStreamBodies(): boolean {
  return "process" in globalThis || isDeno() || lengthStream() !== undefined;
}

/** True if a browser sends a body as a stream; others make a text of it, or don't ask how it is to be sent. */
export function sendsStreams(): boolean {
  let isAsked = false;
  const how = {
    method: "POST",
    body: new ReadableStream(),
    get duplex() {
      isAsked = true;
      return "half";
    },
  };
  return !new Request("https://upload.invalid", how).headers.has("Content-Type") && isAsked;
}

/** True if fetch can show a redirect instead of following it: browsers show neither its place nor its status. */
export function showsRedirects(): boolean {
  return canStreamBodies() && !hasXhr();
}

/** The call for the next turn of the event loop that server runtimes have; `undefined` in pages. */
export function immediate(): ((run: () => void) => unknown) | undefined {
  return (globalThis as { setImmediate?: (run: () => void) => unknown }).setImmediate;
}

/** True if there is XMLHttpRequest, the one way in a page to see bytes leave. */
export function hasXhr(): boolean {
  return typeof XMLHttpRequest === "function";
}

/** True if requests know the option `cache`; some edge workers refuse it. */
export function hasRequestCache(): boolean {
  return "cache" in Request.prototype;
}

/** True if a byte reader can be asked for many bytes at once, without which edge workers give 4 KiB. */
export function canReadAtLeast(): boolean {
  const { ReadableStreamBYOBReader } = globalThis;
  return ReadableStreamBYOBReader !== undefined && "readAtLeast" in ReadableStreamBYOBReader.prototype;
}

/**
 * `node:crypto` in Node, Bun, Deno and edge workers with Node's modules: it makes a digest in microseconds, while WebCrypto
 * takes a turn through a thread. A stand-in of a bundler, which may lack it or throw, counts as none.
 */
export function builtInCrypto(): NodeCrypto | undefined {
  try {
    const process = Reflect.get(globalThis, "process") as { getBuiltinModule(name: string): object };
    const found = process.getBuiltinModule("node:crypto");
    return "createHmac" in found ? (found as NodeCrypto) : undefined;
  } catch {
    return undefined;
  }
}

export function isOffline(): boolean {
  return globalThis.navigator?.onLine === false;
}

/** True if there is no network, and the runtime reports when there is one. */
export function isWaitingForNetwork(): boolean {
  return isOffline() && typeof globalThis.addEventListener === "function";
}

/** The web origin of the page that this runs in; `undefined` in a server runtime, where a page hides no answer. */
export function pageOrigin(): string | undefined {
  const origin: unknown = globalThis.location?.origin;
  // Deno may be given a location.
  return typeof origin === "string" && /^https?:/.test(origin) && !isDeno() ? origin : undefined;
}
