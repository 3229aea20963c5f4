/** The line between processes and hosts: a fetch for each call, whose requests meet the faults that are due. */
import { type Answer, BASE, ELSEWHERE, type Hosts, type Incoming } from "./hosts.ts";
import type { Process } from "./process.ts";
import { SimulatedBlob } from "./source.ts";
import type { Random, World } from "./world.ts";

export const LINE_FAULTS = [
  "cut",
  "refused connection",
  "stall",
  "lost answer",
  "no answer",
  "late answer",
  "page of a proxy",
  "sign-in page",
  "redirect",
] as const;

/** Becomes of some of the next requests. */
interface DueFault {
  kind: string;
  about: "account" | "upload" | "body";
  times: number;
}

/** A call of core, which sends. */
export interface Sender {
  name: string;
  process: Process;
  abortedAt?: number | undefined;
  endedAt?: number | undefined;
  /** True once it asked for a location, and heard of no asset. */
  askedInVain?: boolean;
}

const MiB = 2 ** 20;
const PART = 8 * MiB;

export class Network {
  due: DueFault[] = [];
  readonly #random: Random;
  readonly #world: World;
  readonly #hosts: Hosts;
  /** Milliseconds there or back, and bytes a millisecond. */
  readonly #latency: number;
  readonly #rate: number;
  /** Who has begun to send to an address last, and when. */
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

  /** Carries one request, and where a browser repeats it, the same one again. */
  fetch(sender: Sender, address: string, init: RequestInit): Promise<Response> {
    const { process } = sender;
    const [world, random] = [this.#world, this.#random];
    const { method = "GET", signal, body } = init;
    const url = new URL(address);
    const headers = new Headers(init.headers);
    const held = body instanceof Uint8Array ? new SimulatedBlob([body]) : (body as unknown);
    const blob = held instanceof SimulatedBlob ? held : undefined;
    const offset = headers.get("upload-offset");
    const host = url.origin === BASE ? "service" : "upload host";
    const name = `${method}${offset === null ? "" : ` at ${offset}`} to the ${host}`;
    const since = world.now;
    const lateness = random.spread(1_000, 120_000);
    const size = blob?.size ?? Number(headers.get("content-length"));
    // Most breaks come soon behind a part, which is on its way to the store then.
    const end = Math.floor(random.next() * (size / PART + 1)) * PART + random.spread(1, PART);
    const soon = (run: () => void, more = 0) =>
      world.after(this.#latency * (0.5 + random.next()) + more, run);
    let incoming: Incoming | undefined;
    let isOver = false;
    let isRepeated = false;
    let sent = 0;
    process.step();
    const fault = process.isDead ? undefined : this.#take(url, method);
    return new Promise((resolve, reject) => {
      const over = (how: string, settle: () => void) => {
        if (isOver) return;
        isOver = true;
        const broken = incoming;
        soon(() => broken?.onBreak());
        if (process.isDead) return;
        world.tell(`${sender.name} ${name}: ${how} after ${sent} bytes`);
        settle();
      };
      const fail = (code: string) => {
        sender.askedInVain ||= url.origin === BASE;
        over(code, () => reject(networkError(code)));
      };
      const breakOff = (how: string) => {
        const broken = incoming;
        soon(() => broken?.onBreak());
        // A browser sends it again at once, and nobody hears of it.
        if (isRepeated || !process.isPage || blob === undefined || random.chance(0.5))
          return process.enter(() => fail(how));
        isRepeated = true;
        world.tell(`${sender.name} ${name}: ${how}, and sent again by the browser`);
        soon(arrive);
      };
      const receive = (answer: Answer) => {
        const isRedirect = answer.status >= 300 && answer.status < 400;
        process.step();
        if (isRedirect && init.redirect === "error") return fail("unexpected redirect");
        if (isRedirect && init.redirect !== "manual") {
          const next = { ...init, body: null, redirect: "error" } as const;
          return resolve(this.fetch(sender, answer.headers?.location ?? "", next));
        }
        sender.askedInVain ||= url.origin === BASE && answer.status !== 200;
        const isBare = method === "HEAD" || answer.status === 204;
        over(`${answer.status}`, () => resolve(new Response(isBare ? null : (answer.text ?? ""), answer)));
      };
      const answered = (answer: Answer) => {
        incoming = undefined;
        if (fault === "lost answer") return breakOff(`answer ${answer.status} lost`);
        if (fault === "no answer")
          return world.tell(`${sender.name} ${name}: answer ${answer.status} never comes`);
        soon(() => process.enter(() => receive(answer)), fault === "late answer" ? lateness : 0);
      };
      const ended = (to: Incoming) => {
        if (fault === "cut" && sent > 0) breakOff("cut at its end");
        else to.onEnd();
      };
      const leave = (to: Incoming, bytes: Uint8Array, next: () => void) => {
        if (fault === "stall" && sent > 0) return;
        const isCut = fault === "cut" && sent + bytes.length > end;
        const part = isCut ? bytes.subarray(0, end - sent) : bytes;
        sent += part.length;
        world.after(part.length / this.#rate, () => {
          if (to !== incoming) return;
          to.onBytes(part);
          if (isCut) breakOff("cut");
          else next();
        });
      };
      const pump = (to: Incoming, reader: ReadableStreamDefaultReader<Uint8Array>): void =>
        process.enter(() => {
          if (to !== incoming || isOver) return;
          reader.read().then(
            ({ value, done }) => {
              if (isOver || process.isDead) return;
              if (done) return ended(to);
              this.#watch(sender, `bytes of ${name}`, url.href, since, true);
              leave(to, value, () => pump(to, reader));
            },
            () => fail("body failed"),
          );
        });
      /** A body that is held leaves without the process. */
      const push = (to: Incoming, from: SimulatedBlob, at: number) => {
        if (at >= from.size) return ended(to);
        const stop = Math.min(from.size, at + MiB);
        try {
          leave(to, from.bytes(at, stop), () => push(to, from, stop));
        } catch {
          breakOff("file could not be read");
        }
      };
      const arrive = () => {
        if (isOver) return;
        const current: Incoming = {
          sender,
          method,
          url,
          headers,
          size,
          text: typeof body === "string" ? body : "",
          onBytes() {},
          onEnd() {},
          onBreak() {},
          answer: (answer) => void (current === incoming && !isOver && answered(answer)),
          close: () => void (current === incoming && !isOver && breakOff("closed")),
        };
        incoming = current;
        sent = 0;
        const instead = answerInstead(fault, random);
        if (instead === undefined) this.#hosts.handle(current);
        else if (random.chance(0.5)) soon(() => current.answer(instead));
        else current.onEnd = () => current.answer(instead);
        if (body instanceof ReadableStream) pump(current, body.getReader());
        else if (blob !== undefined) push(current, blob, 0);
        else ended(current);
      };
      process.onEnd(() => over("", () => {}));
      const onAbort = () => over("aborted", () => reject(signal?.reason));
      if (signal?.aborted) return onAbort();
      if (process.isDead) return;
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#watch(sender, name, url.href, since, false);
      if (fault === "refused connection") soon(() => process.enter(() => fail("ECONNREFUSED")));
      else soon(arrive);
    });
  }

  #take(url: URL, method: string): string | undefined {
    const about = url.origin === BASE ? "account" : "upload";
    const isBody = /^(PATCH|PUT)$/.test(method);
    const found = this.due.find((each) => each.about === about || (each.about === "body" && isBody));
    if (found === undefined) return undefined;
    if (--found.times === 0) this.due = this.due.filter((each) => each !== found);
    this.#world.meet(found.kind);
    return found.kind;
  }

  /** Nothing is sent by whoever was told to stop, and by whom another one has taken the upload from. */
  #watch(sender: Sender, what: string, key: string, since: number, isBody: boolean) {
    const { now } = this.#world;
    const { name, abortedAt = now, endedAt = now } = sender;
    if (now > abortedAt) this.#world.accuse(`${name} sends ${what} after it was aborted`);
    if (now > endedAt) this.#world.accuse(`${name} sends ${what} after it has ended`);
    const last = this.#senders.get(key);
    if (!isBody) this.#senders.set(key, { sender, since });
    else if (last !== undefined && last.sender !== sender && now - last.since > this.tolerance)
      this.#world.accuse(`${name} sends ${what} while ${last.sender.name} has the upload`);
  }
}

/** An answer that doesn't come from the host. */
function answerInstead(fault: string | undefined, random: Random): Answer | undefined {
  const headers = { "content-type": "text/html" };
  const text = "<!doctype html><html><body>no</body></html>";
  if (fault === "page of a proxy")
    return { status: random.pick([407, 408, 413, 423, 429, 500, 502, 503, 504]), headers, text };
  if (fault === "sign-in page") return { status: 200, headers, text };
  if (fault !== "redirect") return undefined;
  return { status: random.pick([302, 307, 308]), headers: { location: `${ELSEWHERE}/take` } };
}

/** A failure as Node words it. */
function networkError(code: string): Error {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
}
