/**
 * Processes that run the real core: its sources are bundled once into a function of the runtime's globals, and each process
 * is a call of it, with clocks, timers, randomness, files and a network of its own. What is killed has no effect any more.
 */
import crypto from "node:crypto";
import { constants, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { build } from "esbuild";
import { SimulatedBlob, SimulatedFile } from "./source.ts";
import { BEGINNING, type Random, type World } from "./world.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ENTRY = `
export { createClient } from "./core/client.ts";
export { discard } from "./core/discard.ts";
export { fileJournal } from "./core/disk/journal.ts";
export { isUpcutError } from "./core/errors/errors.ts";
export { memoryJournal } from "./core/journal/memory.ts";
export { redisJournal } from "./core/journals/redis.ts";
export { upload } from "./core/upload.ts";`;

export interface Core {
  createClient: typeof import("../../core/client.ts").createClient;
  discard: typeof import("../../core/discard.ts").discard;
  fileJournal: typeof import("../../core/disk/journal.ts").fileJournal;
  isUpcutError: typeof import("../../core/errors/errors.ts").isUpcutError;
  memoryJournal: typeof import("../../core/journal/memory.ts").memoryJournal;
  redisJournal: typeof import("../../core/journals/redis.ts").redisJournal;
  upload: typeof import("../../core/upload.ts").upload;
}

/** The globals that core gets from its process; all others are Node's own, and neither wait nor measure. */
const GLOBALS = [
  ...["globalThis", "process", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate"],
  ...["performance", "Date", "Math", "crypto", "Blob", "File", "fetch", "MessageChannel", "navigator"],
] as const;

export type Program = (require: (name: string) => unknown, ...globals: unknown[]) => Core;

/** What stands in one source of core, and what is put in its place. */
export interface Patch {
  from: string;
  to: string;
}

export async function bundleCore(patches: readonly Patch[] = []): Promise<Program> {
  const left = new Set(patches);
  const result = await build({
    stdin: { contents: ENTRY, resolveDir: ROOT, loader: "ts" },
    ...{ bundle: true, write: false, format: "cjs", platform: "neutral", target: "node20" },
    ...{ external: ["node:*"], mainFields: ["module", "main"], logLevel: "silent" },
    plugins: [
      {
        name: "patches",
        setup({ onLoad }) {
          onLoad({ filter: /\/core\/.*\.ts$/ }, ({ path }) => {
            let contents = readFileSync(path, "utf8");
            for (const patch of left) {
              if (contents.split(patch.from).length !== 2) continue;
              contents = contents.replace(patch.from, () => patch.to);
              left.delete(patch);
            }
            return { contents, loader: "ts" };
          });
        },
      },
    ],
  });
  for (const { from } of left) throw new Error(`no source of core holds once: ${from}`);
  const code = `const module = { exports: {} }; ${result.outputFiles[0]?.text} return module.exports;`;
  return compileFunction(code, ["require", ...GLOBALS], { filename: "core.js" }) as Program;
}

/** A machine: its processes share its clocks. */
export class Machine {
  readonly name: string;
  readonly processes: Set<Process> = new Set();
  /** Milliseconds that the date is ahead. */
  ahead = 0;
  /** Milliseconds in which it slept. */
  slept = 0;
  isOffline = false;
  readonly #world: World;

  constructor(world: World, name: string) {
    this.#world = world;
    this.name = name;
  }

  steady(): number {
    return this.#world.now - this.slept;
  }

  date(): number {
    return BEGINNING + this.#world.now + this.ahead;
  }
}

export interface ProcessOptions {
  world: World;
  machine: Machine;
  program: Program;
  /** True for a page, whose requests carry bodies that are held, and are repeated by the browser itself. */
  isPage: boolean;
  files: (process: Process) => unknown;
  /** Called before and after each effect. */
  onStep: (process: Process, what: string) => void;
}

interface Timer {
  due: number;
  interval: number | undefined;
  run: () => void;
}

export class Process {
  readonly id: number;
  readonly world: World;
  readonly machine: Machine;
  readonly isPage: boolean;
  readonly core: Core;
  isDead = false;
  /** When the process was last stopped, and when it went on. */
  wokeAt = Number.NEGATIVE_INFINITY;
  readonly random: Random;
  readonly #onStep: ProcessOptions["onStep"];
  readonly #endings = new Set<() => void>();
  readonly #listeners = new Set<() => void>();
  #timers = new Map<number, Timer>();
  #nextTimer = 1;
  /** What waits for a process that is stopped: timers, and answers. */
  #held: [(() => void)[], (() => void)[]] | undefined;

  constructor({ world, machine, program, isPage, files, onStep }: ProcessOptions, id: number) {
    Object.assign(this, { id, world, machine, isPage });
    this.id = id;
    this.world = world;
    this.machine = machine;
    this.isPage = isPage;
    this.random = world.random(`process ${id}`);
    this.#onStep = onStep;
    machine.processes.add(this);
    this.core = this.#start(program, files(this));
  }

  get isStopped(): boolean {
    return this.#held !== undefined;
  }

  kill() {
    if (this.isDead) return;
    this.isDead = true;
    this.machine.processes.delete(this);
    this.#timers.clear();
    for (const end of this.#endings) end();
  }

  /** Is told when the process is gone. */
  onEnd(end: () => void): () => void {
    this.#endings.add(end);
    return () => this.#endings.delete(end);
  }

  stop(milliseconds: number) {
    if (this.isDead || this.#held !== undefined) return;
    this.#held = [[], []];
    this.world.after(milliseconds, () => {
      const [timers, answers] = this.#held ?? [[], []];
      this.#held = undefined;
      this.wokeAt = this.world.now;
      // Timers and sockets go on in any order.
      while (timers.length + answers.length > 0) {
        const from =
          answers.length === 0 || (timers.length > 0 && this.random.chance(0.5)) ? timers : answers;
        const next = from.shift();
        if (next !== undefined) this.world.after(0, () => this.enter(next));
      }
    });
  }

  /** The network of the machine came back. */
  online() {
    for (const listener of this.#listeners) this.enter(listener);
  }

  /** Lets something happen in the process, unless it is gone. */
  enter(run: () => void, kind: 0 | 1 = 1) {
    if (this.isDead) return;
    if (this.#held !== undefined) this.#held[kind].push(run);
    else run();
  }

  /** One effect on something outside, which answers in so many milliseconds. */
  async effect<T>(what: string, milliseconds: number, act: () => T): Promise<T> {
    this.step(what);
    return await new Promise<T>((resolve, reject) => {
      if (this.isDead) return;
      this.world.after(milliseconds, () => {
        if (this.isDead) return;
        let settle: () => void;
        try {
          const value = act();
          settle = () => resolve(value);
        } catch (error) {
          settle = () => reject(error);
        }
        this.step(`${what} done`);
        this.enter(settle);
      });
    });
  }

  step(what: string) {
    if (!this.isDead) this.#onStep(this, what);
  }

  #start(program: Program, files: unknown): Core {
    const { machine, random, world } = this;
    const process = {
      pid: this.id,
      platform: "linux",
      env: {},
      getBuiltinModule: (name: string) => (name === "node:crypto" ? crypto : undefined),
      kill: (id: number) => {
        if ([...machine.processes].some((each) => each.id === id)) return true;
        throw Object.assign(new Error("no such process"), { code: "ESRCH" });
      },
    };
    const bytes = () => Buffer.from(Array.from({ length: 16 }, () => random.below(256)));
    const randomUUID = () => crypto.randomUUID.call(undefined) && uuidOf(bytes());
    const modules: Record<string, unknown> = {
      "node:fs/promises": files,
      "node:fs": { constants, readlinkSync: () => "pid:[1]" },
      "node:os": { hostname: () => machine.name, homedir: () => "/home/person", platform: () => "linux" },
      "node:crypto": { ...crypto, randomUUID },
      "node:process": process,
    };
    const require = (name: string) => {
      if (name in modules) return modules[name];
      const found = globalThis.process.getBuiltinModule(name);
      if (name !== "node:path" && name !== "node:url") throw new Error(`core asked for ${name}`);
      return found;
    };
    const timer =
      (interval: boolean) =>
      (run: (...args: unknown[]) => void, wait = 0, ...args: unknown[]) => {
        const id = this.#nextTimer++;
        const milliseconds = wait >= 1 && wait < 2 ** 31 ? Math.floor(wait) : 1;
        const due = machine.steady() + milliseconds;
        this.#timers.set(id, { due, interval: interval ? milliseconds : undefined, run: () => run(...args) });
        this.#arm(id);
        return { id, unref: () => {} };
      };
    const clear = (timer: { id: number } | undefined) => void this.#timers.delete(timer?.id ?? 0);
    const now = () => machine.date();
    class SimulatedDate extends Date {
      constructor(...given: [number?]) {
        super(...((given.length === 0 ? [now()] : given) as [number]));
      }
      static override now = now;
    }
    const listeners = this.#listeners;
    const navigator = {
      get onLine() {
        return !machine.isOffline;
      },
    };
    const setImmediate = (run: () => void) => void world.after(0, () => this.enter(run));
    const own = {
      ...{ setImmediate, navigator, crypto: { randomUUID, subtle: SUBTLE } },
      ...{ AbortController, Headers, Request, Response, ReadableStream, TextDecoder, TextEncoder, URL },
      ...(this.isPage
        ? {
            addEventListener: (_: string, listener: () => void) => listeners.add(listener),
            removeEventListener: (_: string, listener: () => void) => listeners.delete(listener),
          }
        : { process }),
    };
    const globals: Record<(typeof GLOBALS)[number], unknown> = {
      ...{ setImmediate, navigator, crypto: own.crypto, globalThis: own, process, fetch: undefined },
      ...{ setTimeout: timer(false), clearTimeout: clear, setInterval: timer(true), clearInterval: clear },
      performance: { now: () => machine.steady() },
      Date: SimulatedDate,
      Math: Object.create(Math, { random: { value: () => random.next() } }),
      ...{ Blob: SimulatedBlob, File: SimulatedFile, MessageChannel: undefined },
    };
    return program(require, ...GLOBALS.map((name) => globals[name]));
  }

  #arm(id: number) {
    const timer = this.#timers.get(id);
    if (timer === undefined) return;
    this.world.after(timer.due - this.machine.steady(), () => {
      if (!this.#timers.has(id)) return;
      // The machine slept meanwhile.
      if (timer.due > this.machine.steady() + 0.001) return this.#arm(id);
      const fire = () => {
        if (!this.#timers.has(id)) return;
        if (timer.interval === undefined) this.#timers.delete(id);
        else {
          timer.due = this.machine.steady() + timer.interval;
          this.#arm(id);
        }
        timer.run();
      };
      this.enter(fire, 0);
    });
  }
}

/** WebCrypto that answers at once: a thread of its own would take its own time. */
const SUBTLE = {
  digest: async (_: string, bytes: ArrayBuffer) =>
    memoryOf(crypto.createHash("sha256").update(new Uint8Array(bytes)).digest()),
  importKey: async (_: string, key: Uint8Array) => key,
  sign: async (_: string, key: Uint8Array, text: Uint8Array) =>
    memoryOf(crypto.createHmac("sha256", key).update(text).digest()),
};

function memoryOf(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-a$4-$5");
}
