/** The line between processes and hosts: a fetch for each call, whose requests meet the faults that are due. */
import { type Answer, BASE, ELSEWHERE, type Hosts, type Incoming } from "./hosts.ts";
import type { Process } from "./process.ts";
import { SimulatedBlob } from "./source.ts";
import type { Random, World } from "./world.ts";

export const LINE_FAULTS = [
  ...["cut", "refused connection", "stall", "lost answer", "no answer", "late answer"],
  ...["page of a proxy", "sign-in page", "redirect"],
] as const;

/** What becomes of some of the next requests. */
export interface DueFault {
  kind: string;
  about: "account" | "upload" | "body";
  times: number;
}

/** Who sends. */
export interface Sender {
  name: string;
  process: Process;
  abortedAt: number | undefined;
  endedAt: number | undefined;
  /** True once it asked for a location, and heard of no asset. */
  askedInVain: boolean;
}

const MiB = 2 ** 20;

export class Network {
  due: DueFault[] = [];
  readonly random: Random;
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
    this.random = world.random("network");
    this.#hosts = hosts;
    this.#latency = this.random.spread(0.5, 200);
    this.#rate = this.random.spread(200, 100_000);
  }

  /** Carries one request, and where a browser repeats it, the same one again. */
  fetch(sender: Sender, address: string, init: RequestInit): Promise<Response> {
    const { process } = sender;
    const [world, random] = [this.#world, this.random];
    const { method = "GET", signal, body } = init;
    const url = new URL(address);
    const headers = new Headers(init.headers);
    const blob = body instanceof Uint8Array ? new SimulatedBlob([body]) : (body as unknown);
    const offset = headers.get("upload-offset");
    const name = `${method}${offset === null ? "" : ` at ${offset}`} to the ${url.origin === BASE ? "service" : "upload host"}`;
    const since = world.now;
    const delay = () => this.#latency * (0.5 + random.next());
    const lateness = random.spread(1_000, 120_000);
    const end = random.spread(1, 40 * MiB);
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
        if (broken !== undefined) world.after(delay(), () => broken.onBreak());
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
        world.after(delay(), () => broken?.onBreak());
        // A browser sends it again at once, and nobody hears of it.
        if (!isRepeated && process.isPage && blob instanceof SimulatedBlob && random.chance(0.5)) {
          isRepeated = true;
          world.met.add("repeated by the browser");
          world.tell(`${sender.name} ${name}: ${how}, and sent again by the browser`);
          world.after(delay(), arrive);
        } else process.enter(() => fail(how));
      };
      const answered = (answer: Answer) => {
        incoming = undefined;
        if (fault === "lost answer") return breakOff(`answer ${answer.status} lost`);
        if (fault === "no answer")
          return world.tell(`${sender.name} ${name}: answer ${answer.status} never comes`);
        const receive = () => {
          process.step();
          const isRedirect = answer.status >= 300 && answer.status < 400;
          if (isRedirect && init.redirect === "error") return fail("unexpected redirect");
          if (isRedirect && init.redirect !== "manual") {
            const next = { ...init, body: null, redirect: "error" } as const;
            return resolve(this.fetch(sender, answer.headers?.location ?? "", next));
          }
          sender.askedInVain ||= url.origin === BASE && answer.status !== 200;
          const isBare = method === "HEAD" || answer.status === 204;
          over(`${answer.status}`, () => resolve(new Response(isBare ? null : (answer.text ?? ""), answer)));
        };
        world.after(delay() + (fault === "late answer" ? lateness : 0), () => process.enter(receive));
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
        const size = blob instanceof SimulatedBlob ? blob.size : Number(headers.get("content-length"));
        const text = typeof body === "string" ? body : "";
        const current: Incoming = {
          ...{ method, url, headers, size, text, onBytes() {}, onEnd() {}, onBreak() {} },
          answer: (answer) => void (current === incoming && !isOver && answered(answer)),
          close: () => void (current === incoming && !isOver && breakOff("closed")),
        };
        incoming = current;
        sent = 0;
        const instead = answerInstead(fault, random);
        if (instead === undefined) this.#hosts.handle(current);
        else if (random.chance(0.5)) world.after(delay(), () => current.answer(instead));
        else current.onEnd = () => current.answer(instead);
        if (body instanceof ReadableStream) pump(current, body.getReader());
        else if (blob instanceof SimulatedBlob) push(current, blob, 0);
        else ended(current);
      };
      process.onEnd(() => over("", () => {}));
      const onAbort = () => over("aborted", () => reject(signal?.reason));
      if (signal?.aborted) return onAbort();
      if (process.isDead) return;
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#watch(sender, name, url.href, since, false);
      if (fault === "refused connection")
        world.after(delay(), () => process.enter(() => fail("ECONNREFUSED")));
      else world.after(delay(), arrive);
    });
  }

  #take(url: URL, method: string): string | undefined {
    const about = url.origin === BASE ? "account" : "upload";
    const isBody = /^(PATCH|PUT)$/.test(method);
    const found = this.due.find((each) => each.about === about || (each.about === "body" && isBody));
    if (found === undefined) return undefined;
    if (--found.times === 0) this.due = this.due.filter((each) => each !== found);
    this.#world.met.add(found.kind);
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
  const page = {
    headers: { "content-type": "text/html" },
    text: "<!doctype html><html><body>no</body></html>",
  };
  if (fault === "page of a proxy") return { status: random.pick([413, 407, 502, 503, 504]), ...page };
  if (fault === "sign-in page") return { status: 200, ...page };
  if (fault !== "redirect") return undefined;
  return { status: random.pick([302, 307, 308]), headers: { location: `${ELSEWHERE}/take` } };
}

/** A failure as Node words it. */
function networkError(code: string): Error {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
}
