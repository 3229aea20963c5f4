/**
 * A request and its answer for a server that is written for node:http. The request's bytes come through the switched-on
 * faults, and a broken connection is to it what it is to Node's own request: an error, after which nothing comes.
 */
import { Readable, Writable } from "node:stream";
import type { Exchange } from "./exchange.ts";

/** As they come from the socket: a store's own buffers are part of how it behaves. */
const READ_SIZE = 64 * 1024;

export class RelayedRequest extends Readable {
  method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly rawHeaders: string[];
  readonly #exchange: Exchange;
  readonly #onBytes: (bytes: number) => void;
  #begun = false;
  #broken = false;
  #wanted = () => {};

  /** @param more headers in place of those that came, in lower case */
  constructor(exchange: Exchange, more: Record<string, string>, onBytes: (bytes: number) => void) {
    super({ highWaterMark: READ_SIZE });
    const { incoming } = exchange;
    this.method = incoming.method ?? "";
    this.url = incoming.url ?? "";
    this.headers = { ...more };
    for (const [name, value] of Object.entries(incoming.headers)) this.headers[name] ??= String(value);
    this.rawHeaders = Object.entries(this.headers).flat();
    this.#exchange = exchange;
    this.#onBytes = onBytes;
    // Whether or not anyone listens, as with Node's own.
    this.on("error", () => {});
    incoming.once("close", () => {
      if (!this.#begun && !incoming.complete) this.#break();
    });
  }

  override _read(): void {
    this.#wanted();
    if (this.#begun) return;
    this.#begun = true;
    const write = async (chunks: Buffer[]) => {
      for (const chunk of chunks) {
        if (this.destroyed) return;
        this.#onBytes(chunk.length);
        if (this.push(chunk)) continue;
        await new Promise<void>((resolve) => {
          this.#wanted = resolve;
        });
      }
    };
    this.#exchange.body.receive({ write, block: READ_SIZE }).then(
      ({ whole }) => (whole ? this.push(null) : this.#break()),
      (error: Error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#wanted();
    // Whoever destroys Node's own before its end ends the connection.
    if (!this.#broken && !this.readableEnded) this.#exchange.incoming.destroy();
    done(error);
  }

  #break(): void {
    this.#broken = true;
    this.destroy(Object.assign(new Error("aborted"), { code: "ECONNRESET" }));
  }
}

export class RelayedResponse extends Writable {
  statusCode = 200;
  headersSent = false;
  readonly headers: Record<string, string> = {};
  readonly #chunks: Buffer[] = [];

  setHeader(name: string, value: unknown): this {
    this.headers[name.toLowerCase()] = String(value);
    return this;
  }

  /** @param rest perhaps the status's text, then an object or a flat list of headers */
  writeHead(status: number, ...rest: unknown[]): this {
    this.statusCode = status;
    this.headersSent = true;
    const given = rest.at(-1);
    if (Array.isArray(given))
      for (let at = 0; at < given.length; at += 2) this.setHeader(String(given[at]), given[at + 1]);
    else if (typeof given === "object" && given !== null)
      for (const [name, value] of Object.entries(given)) this.setHeader(name, value);
    return this;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}
