/** The line between processes and hosts: a fetch for each call, whose requests meet the faults that are due. */
import { BASE, ELSEWHERE, type Hosts, type Incoming } from "./hosts.ts";
import type { Process } from "./process.ts";
import { SimulatedBlob } from "./source.ts";
import type { Random, World } from "./world.ts";

/** What becomes of a request. */
export type LineFault =
  | "cut"
  | "refused connection"
  | "stall"
  | "lost answer"
  | "no answer"
  | "late answer"
  | "cut answer"
  | "page of a proxy"
  | "sign-in page"
  | "redirect";

export interface DueFault {
  kind: LineFault;
  /** The requests that it is about. */
  about: "account" | "upload" | "body";
  /** How many of them it meets. */
  times: number;
}

/** Who sends, and what must not be sent any more. */
export interface Sender {
  name: string;
  process: Process;
  abortedAt: number | undefined;
  endedAt: number | undefined;
}

const MANY_ENDS = /^(PATCH|PUT)$/;

export class Network {
  /** True once nothing goes wrong any more. */
  isCalm = false;
  readonly due: DueFault[] = [];
  requests = 0;
  readonly #world: World;
  readonly #random: Random;
  readonly #hosts: Hosts;
  /** Milliseconds there or back, and bytes a millisecond. */
  readonly #latency: number;
  readonly #rate: number;
  /** Who has sent to an upload last, and since when. */
  readonly #senders = new Map<string, { sender: Sender; since: number }>();
  /** Milliseconds for which two may send at once: where a clock was set, a lease seems to have ended. */
  tolerance = 0;

  constructor(world: World, hosts: Hosts) {
    this.#world = world;
    this.#random = world.random("network");
    this.#hosts = hosts;
    this.#latency = this.#random.spread(0.5, 200);
    this.#rate = this.#random.spread(200, 100_000);
  }

  fetchOf(sender: Sender): typeof globalThis.fetch {
    return async (input, init = {}) => await new Exchange(this, sender, String(input), init).answer;
  }

  /** One way through the line. */
  get delay(): number {
    return this.#latency * this.#random.between(0.5, 2);
  }

  /** Milliseconds that so many bytes take. */
  takes(bytes: number): number {
    return bytes / this.#rate;
  }

  get random(): Random {
    return this.#random;
  }

  get world(): World {
    return this.#world;
  }

  get hosts(): Hosts {
    return this.#hosts;
  }

  faultFor(url: URL, method: string): LineFault | undefined {
    if (this.isCalm) return undefined;
    const about = url.origin === BASE ? "account" : "upload";
    const found = this.due.find(
      (each) => each.about === about || (each.about === "body" && MANY_ENDS.test(method)),
    );
    if (found === undefined) return undefined;
    if (--found.times === 0) this.due.splice(this.due.indexOf(found), 1);
    this.#world.met.add(found.kind);
    return found.kind;
  }

  /** Nothing is sent by whoever was told to stop, and by whom another one has taken the upload from. */
  watch(sender: Sender, what: string, key: string, since: number, isBody: boolean) {
    const { now } = this.#world;
    if (sender.abortedAt !== undefined && now > sender.abortedAt)
      this.#world.accuse(`${sender.name} sends ${what} after it was aborted`);
    if (sender.endedAt !== undefined && now > sender.endedAt)
      this.#world.accuse(`${sender.name} sends ${what} after it has ended`);
    const last = this.#senders.get(key);
    if (last === undefined || (!isBody && last.since <= since)) this.#senders.set(key, { sender, since });
    else if (isBody && last.sender !== sender && last.since > since && now - last.since > this.tolerance)
      this.#world.accuse(`${sender.name} sends ${what} while ${last.sender.name} has the upload`);
  }
}

/** One request, and with a browser the same one again. */
class Exchange {
  readonly answer: Promise<Response>;
  readonly #network: Network;
  readonly #sender: Sender;
  readonly #url: URL;
  readonly #init: RequestInit;
  readonly #since: number;
  readonly #fault: LineFault | undefined;
  #settle: { resolve: (response: Response) => void; reject: (error: unknown) => void } | undefined;
  #incoming: Incoming | undefined;
  #repeats = 0;
  /** Bytes that have left. */
  #sent = 0;
  /** The byte at which the line is cut. */
  readonly #end: number;
  #isAnswered = false;
  readonly #forget: () => void;

  constructor(network: Network, sender: Sender, address: string, init: RequestInit) {
    const { process } = sender;
    const { world, random } = network;
    this.#network = network;
    this.#sender = sender;
    this.#url = new URL(address);
    this.#init = init;
    this.#since = world.now;
    this.#forget = process.onEnd(() => this.#gone());
    process.step(`fetch ${this.#name}`);
    network.requests++;
    this.answer = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#fault = process.isDead ? undefined : network.faultFor(this.#url, this.#method);
    this.#end = this.#fault === "cut" ? Math.floor(random.spread(1, 40 * 2 ** 20)) : Number.POSITIVE_INFINITY;
    const { signal } = init;
    const onAbort = () => this.#fail(signal?.reason, "aborted");
    if (signal?.aborted) onAbort();
    else if (!process.isDead) {
      signal?.addEventListener("abort", onAbort, { once: true });
      network.watch(sender, this.#name, this.#key, this.#since, false);
      if (process.machine.isOffline || this.#fault === "refused connection")
        world.after(network.delay, () => this.#refuse());
      else world.after(network.delay, () => this.#arrive());
    }
  }

  get #method(): string {
    return this.#init.method ?? "GET";
  }

  get #name(): string {
    return `${this.#method} ${this.#url.origin === BASE ? "account" : "upload"}`;
  }

  /** What the request is about, however its address is written. */
  get #key(): string {
    return this.#url.href;
  }

  #tell(what: string) {
    const offset = new Headers(this.#init.headers).get("upload-offset");
    const at = offset === null ? "" : ` at ${offset}`;
    this.#network.world.tell(`${this.#sender.name} ${this.#name}${at}: ${what}`);
  }

  #refuse() {
    this.#fail(networkError("ECONNREFUSED"), "refused");
  }

  /** The process is gone: its host sees the connection end. */
  #gone() {
    const { world, delay } = this.#network;
    world.after(delay, () => this.#incoming?.onBreak());
    this.#settle = undefined;
  }

  #fail(error: unknown, what: string) {
    const settle = this.#settle;
    if (settle === undefined) return;
    this.#settle = undefined;
    this.#forget();
    this.#tell(`${what} after ${this.#sent} bytes`);
    const { world, delay } = this.#network;
    const incoming = this.#incoming;
    world.after(delay, () => incoming?.onBreak());
    settle.reject(error);
  }

  #enter(run: () => void) {
    this.#sender.process.enter(run);
  }

  #arrive() {
    if (this.#settle === undefined) return;
    const { hosts, random } = this.#network;
    const { body, headers } = this.#init;
    const instead = this.#instead();
    const incoming: Incoming = {
      method: this.#method,
      url: this.#url,
      headers: new Headers(headers),
      text: typeof body === "string" ? body : "",
      onBytes() {},
      onEnd() {},
      onBreak() {},
      answer: (answer) => this.#isCurrent(incoming) && this.#answered(answer),
      close: () => this.#isCurrent(incoming) && this.#break("closed"),
    };
    this.#incoming = incoming;
    const blob = bodyOf(body);
    if (blob !== undefined) incoming.headers.set("x-size", `${blob.size}`);
    if (instead === undefined) hosts.handle(incoming);
    else if (this.#method === "GET" || this.#fault !== "redirect" || random.chance(0.5))
      this.#network.world.after(this.#network.delay, () => incoming.answer(instead));
    else incoming.onEnd = () => incoming.answer(instead);
    if (body instanceof ReadableStream) this.#pump(incoming, body.getReader());
    else if (blob !== undefined) this.#push(incoming, blob, 0);
    else this.#ended(incoming);
  }

  #isCurrent(incoming: Incoming): boolean {
    return incoming === this.#incoming && this.#settle !== undefined && !this.#isAnswered;
  }

  /** An answer that doesn't come from the host. */
  #instead() {
    const { random } = this.#network;
    const html = { "content-type": "text/html" };
    const page = (status: number) => ({
      status,
      headers: html,
      text: "<!doctype html><html><body>no</body></html>",
    });
    if (this.#fault === "page of a proxy") return page(random.pick([413, 407, 502, 503, 504]));
    if (this.#fault === "sign-in page") return page(200);
    if (this.#fault !== "redirect") return undefined;
    return { status: random.pick([302, 307, 308]), headers: { location: `${ELSEWHERE}/take` }, text: "" };
  }

  /** A stream is read piece by piece, as the line takes it. */
  #pump(incoming: Incoming, reader: ReadableStreamDefaultReader<Uint8Array>) {
    const { world } = this.#network;
    this.#enter(() => {
      if (incoming !== this.#incoming) return;
      const read = ({ value, done }: { value?: Uint8Array | undefined; done: boolean }) => {
        if (this.#settle === undefined) return;
        if (done) return this.#ended(incoming);
        const bytes = value ?? new Uint8Array();
        this.#network.watch(this.#sender, `bytes of ${this.#name}`, this.#key, this.#since, true);
        this.#leave(incoming, bytes, () => this.#pump(incoming, reader));
      };
      reader.read().then(read, () => this.#fail(networkError("UND_ERR_ABORTED"), "body failed"));
    });
    if (world.wrong.length > 9) this.#settle = undefined;
  }

  /** A body that is held leaves without the process. */
  #push(incoming: Incoming, blob: SimulatedBlob, at: number) {
    if (incoming !== this.#incoming || this.#settle === undefined) return;
    if (at >= blob.size) return this.#ended(incoming);
    const end = Math.min(blob.size, at - (at % 2 ** 20) + 2 ** 20);
    let bytes: Uint8Array;
    try {
      bytes = blob.readNow(at, end);
    } catch {
      return this.#break("file could not be read");
    }
    this.#leave(incoming, bytes, () => this.#push(incoming, blob, end));
  }

  #leave(incoming: Incoming, bytes: Uint8Array, next: () => void) {
    const { world } = this.#network;
    const left = this.#end - this.#sent;
    const part = bytes.length > left ? bytes.subarray(0, left) : bytes;
    if (this.#fault === "stall" && this.#sent > 0) return;
    this.#sent += part.length;
    world.after(this.#network.takes(part.length), () => {
      if (incoming !== this.#incoming) return;
      incoming.onBytes(part);
      if (part.length < bytes.length) this.#break("cut");
      else next();
    });
  }

  #ended(incoming: Incoming) {
    if (this.#fault === "cut" && this.#end > this.#sent && this.#sent > 0)
      return this.#break("cut at its end");
    incoming.onEnd();
  }

  #break(what: string) {
    const { world, random, delay } = this.#network;
    const incoming = this.#incoming;
    world.after(delay, () => incoming?.onBreak());
    const blob = bodyOf(this.#init.body);
    // A browser sends it again at once, and nobody hears of it.
    if (this.#sender.process.isPage && blob !== undefined && this.#repeats === 0 && random.chance(0.5)) {
      this.#repeats++;
      world.met.add("repeated by the browser");
      this.#tell(`${what} after ${this.#sent} bytes, and sent again by the browser`);
      world.after(delay, () => this.#arrive());
      return;
    }
    this.#enter(() => this.#fail(networkError("UND_ERR_SOCKET"), what));
  }

  #answered(answer: { status: number; headers?: Record<string, string>; text?: string }) {
    const { world, random, delay } = this.#network;
    this.#isAnswered = true;
    if (this.#fault === "lost answer") {
      this.#isAnswered = false;
      return this.#break(`answer ${answer.status} lost`);
    }
    if (this.#fault === "no answer") return this.#tell(`answer ${answer.status} never comes`);
    const late = this.#fault === "late answer" ? random.spread(1_000, 120_000) : 0;
    world.after(delay + late, () =>
      this.#enter(() => {
        const settle = this.#settle;
        if (settle === undefined) return;
        this.#sender.process.step(`answer to ${this.#name}`);
        if (this.#sender.process.isDead) return;
        this.#tell(`${answer.status} after ${this.#sent} bytes`);
        const { redirect } = this.#init;
        if (answer.status >= 300 && answer.status < 400) {
          if (redirect === "error") return this.#fail(networkError("unexpected redirect"), "redirect");
          if (redirect !== "manual") return this.#follow(answer.headers?.location ?? "");
        }
        this.#settle = undefined;
        this.#forget();
        settle.resolve(responseOf(answer, this.#method, this.#fault === "cut answer"));
      }),
    );
  }

  #follow(location: string) {
    const next = { ...this.#init, body: null, redirect: "error" as const };
    new Exchange(this.#network, this.#sender, location, next).answer.then(
      (response) => this.#settle?.resolve(response),
      (error) => this.#fail(error, "redirect"),
    );
  }
}

function bodyOf(body: unknown): SimulatedBlob | undefined {
  if (body instanceof SimulatedBlob) return body;
  return body instanceof Uint8Array ? new SimulatedBlob([body]) : undefined;
}

function responseOf(
  { status, headers = {}, text = "" }: { status: number; headers?: Record<string, string>; text?: string },
  method: string,
  isCut: boolean,
): Response {
  const isBare = method === "HEAD" || status === 204 || status === 304;
  if (!isCut || isBare) return new Response(isBare ? null : text, { status, headers });
  const body = new ReadableStream({
    pull(controller) {
      controller.error(networkError("UND_ERR_SOCKET"));
    },
  });
  return new Response(body, { status, headers });
}

/** A failure as Node words it. */
function networkError(code: string): Error {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
}
