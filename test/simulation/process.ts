/**
 * Processes that run the real core: its sources are bundled once into a function of the runtime's globals, and each process
 * is a call of it, with clocks, timers, randomness and files of its own. What is killed has no effect any more.
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
export { memoryJournal } from "./core/journal/memory.ts";
export { sharedJournal } from "./core/journals/shared-journal.ts";
export { upload } from "./core/upload.ts";`;

export type Core = Pick<
  typeof import("../../core/mod.ts"),
  "createClient" | "discard" | "memoryJournal" | "upload"
> &
  Pick<typeof import("../../core/disk/journal.ts"), "fileJournal"> &
  Pick<typeof import("../../core/journals/shared-journal.ts"), "sharedJournal">;

/** All other globals are Node's own: they neither wait nor measure. */
const GLOBALS = [
  ...["globalThis", "process", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
  ...["Date", "Math", "crypto", "Blob", "File", "MessageChannel"],
] as const;

export type Program = (require: (name: string) => unknown, ...globals: unknown[]) => Core;

/** What stands in one source of core, and what is put in its place. */
export type Change = readonly [from: string, to: string];

export async function bundleCore(changes: readonly Change[] = []): Promise<Program> {
  const left = new Set(changes);
  const load = ({ path }: { path: string }) => {
    let contents = readFileSync(path, "utf8");
    for (const change of left) {
      const [from, to] = change;
      if (contents.split(from).length !== 2) continue;
      contents = contents.replace(from, () => to);
      left.delete(change);
    }
    return { contents, loader: "ts" } as const;
  };
  const result = await build({
    stdin: { contents: ENTRY, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    write: false,
    format: "cjs",
    platform: "neutral",
    target: "node20",
    external: ["node:*"],
    mainFields: ["module", "main"],
    logLevel: "silent",
    plugins: [{ name: "changes", setup: ({ onLoad }) => onLoad({ filter: /\/core\/.*\.ts$/ }, load) }],
  });
  for (const [from] of left) throw new Error(`no source of core holds once: ${from}`);
  const code = `const module = { exports: {} }; ${result.outputFiles[0]?.text} return module.exports;`;
  return compileFunction(code, ["require", ...GLOBALS], { filename: "core.js" }) as Program;
}

/** A machine: its processes share its clocks. */
export class Machine {
  readonly name: string;
  readonly processes: Set<Process> = new Set();
  /** Milliseconds that its date is ahead. */
  ahead = 0;
  /** Milliseconds in which it slept. */
  slept = 0;
  asleepUntil = 0;
  readonly world: World;

  constructor(world: World, name: string) {
    this.world = world;
    this.name = name;
  }

  readonly steady = (): number => this.world.now - this.slept;
  readonly date = (): number => BEGINNING + this.world.now + this.ahead;

  /** Tells whether it was awake. */
  sleep(milliseconds: number): boolean {
    if (this.world.now < this.asleepUntil) return false;
    this.asleepUntil = this.world.now + milliseconds;
    for (const process of this.processes) process.stop(milliseconds);
    this.slept += milliseconds;
    return true;
  }
}

export class Process {
  readonly id: number;
  readonly machine: Machine;
  /** True for a page, whose requests carry bodies that are held, and are repeated by the browser itself. */
  readonly isPage: boolean;
  readonly core: Core;
  isDead = false;
  /** Milliseconds for which it stood still. */
  stoodStill = 0;
  readonly #world: World;
  readonly #random: Random;
  /** Called before and after each effect. */
  readonly #onStep: (process: Process) => void;
  readonly #endings: (() => void)[] = [];
  readonly #timers = new Set<object>();
  #heldUntil = 0;
  /** What waits for a process that stands still: timers, and answers. */
  #held: [timers: (() => void)[], answers: (() => void)[]] | undefined;

  constructor(
    machine: Machine,
    how: {
      id: number;
      isPage: boolean;
      program: Program;
      files: (process: Process) => object;
      onStep: (process: Process) => void;
    },
  ) {
    this.id = how.id;
    this.machine = machine;
    this.isPage = how.isPage;
    this.#world = machine.world;
    this.#random = machine.world.random(`process ${how.id}`);
    this.#onStep = how.onStep;
    machine.processes.add(this);
    this.core = this.#start(how.program, how.files(this));
  }

  get isStopped(): boolean {
    return this.#held !== undefined;
  }

  /** Tells whether it was there. */
  kill(): boolean {
    this.isDead = true;
    for (const end of this.#endings.splice(0)) end();
    return this.machine.processes.delete(this);
  }

  onEnd(end: () => void) {
    this.#endings.push(end);
  }

  /** Tells whether it ran. */
  stop(milliseconds: number): boolean {
    const until = this.#world.now + milliseconds;
    const wasRunning = this.#held === undefined;
    this.stoodStill += Math.max(0, until - Math.max(this.#heldUntil, this.#world.now));
    this.#heldUntil = Math.max(this.#heldUntil, until);
    this.#held ??= [[], []];
    this.#world.tell(`p${this.id} stands still for ${Math.round(milliseconds)} ms`);
    this.#world.after(milliseconds, () => this.#goOn());
    return wasRunning;
  }

  #goOn() {
    if (this.#held === undefined || this.#world.now < this.#heldUntil) return;
    const [timers, answers] = this.#held;
    this.#held = undefined;
    // Timers and sockets go on in any order.
    while (timers.length + answers.length > 0) {
      const isTimer = answers.length === 0 || (timers.length > 0 && this.#random.chance(0.5));
      const next = (isTimer ? timers : answers).shift();
      if (next !== undefined) this.#world.after(0, () => this.enter(next));
    }
  }

  /** Lets something happen in the process, unless it is gone. */
  enter(run: () => void, kind: 0 | 1 = 1) {
    if (this.isDead) return;
    if (this.#held !== undefined) this.#held[kind].push(run);
    else run();
  }

  /** One effect on something outside, which answers in so many milliseconds. */
  effect<T>(milliseconds: number, act: () => T): Promise<T> {
    this.step();
    return new Promise<T>((resolve, reject) => {
      this.#world.after(milliseconds, () => {
        if (this.isDead) return;
        const work = new Promise<T>((done) => done(act()));
        this.step();
        this.enter(() => work.then(resolve, reject));
        work.catch(() => {});
      });
    });
  }

  step() {
    if (!this.isDead) this.#onStep(this);
  }

  #start(program: Program, files: object): Core {
    const { machine, isPage } = this;
    const { steady, date } = machine;
    const random = this.#random;
    const randomUUID = () => `${random.word(8)}-${random.word(12)}`;
    const process = {
      pid: this.id,
      getBuiltinModule: (name: string) => (name === "node:crypto" ? crypto : undefined),
      kill: (id: number) => {
        if ([...machine.processes].some((each) => each.id === id)) return true;
        throw Object.assign(new Error("no such process"), { code: "ESRCH" });
      },
    };
    const modules: Record<string, unknown> = {
      "node:fs/promises": files,
      "node:fs": { constants, readlinkSync: () => "pid:[1]" },
      "node:os": { hostname: () => machine.name, platform: () => "linux" },
      "node:crypto": { randomUUID, createHash: crypto.createHash },
      "node:process": process,
      "node:path": globalThis.process.getBuiltinModule("node:path"),
      "node:url": globalThis.process.getBuiltinModule("node:url"),
    };
    class SimulatedDate extends Date {
      static override now = date;
      constructor(...given: [number?]) {
        super(given.length === 0 ? date() : (given[0] as number));
      }
    }
    const setImmediate = (run: () => void) => this.#world.after(0, () => this.enter(run));
    const own = {
      ...{ setImmediate, crypto: { randomUUID, subtle: SUBTLE } },
      ...{ AbortController, Headers, Request, Response, ReadableStream, URL },
      ...(!isPage && { process }),
    };
    const clear = (timer: object) => this.#timers.delete(timer);
    const globals: Record<(typeof GLOBALS)[number], unknown> = {
      ...{ ...own, globalThis: own, process, performance: { now: steady }, Date: SimulatedDate },
      ...{
        setTimeout: this.#timer(false),
        setInterval: this.#timer(true),
        clearTimeout: clear,
        clearInterval: clear,
      },
      Math: Object.create(Math, { random: { value: random.next } }),
      ...{ Blob: SimulatedBlob, File: SimulatedFile, MessageChannel: undefined },
    };
    return program((name) => modules[name], ...GLOBALS.map((name) => globals[name]));
  }

  #timer(repeats: boolean) {
    return (run: (...args: unknown[]) => void, wait = 0, ...args: unknown[]) => {
      const { steady } = this.machine;
      const timer = { unref: () => {} };
      const milliseconds = wait >= 1 && wait < 2 ** 31 ? Math.floor(wait) : 1;
      let due = steady() + milliseconds;
      const arm = () =>
        this.#world.after(due - steady(), () => (due > steady() + 0.001 ? arm() : this.enter(fire, 0)));
      const fire = () => {
        if (!this.#timers.has(timer)) return;
        if (!repeats) this.#timers.delete(timer);
        else {
          due = steady() + milliseconds;
          arm();
        }
        run(...args);
      };
      this.#timers.add(timer);
      arm();
      return timer;
    };
  }
}

const memoryOf = (bytes: Buffer) => new Uint8Array(bytes).buffer;

/** WebCrypto that answers at once: a thread takes a time of its own. */
const SUBTLE = {
  digest: async (_: string, bytes: Uint8Array) =>
    memoryOf(crypto.createHash("sha256").update(bytes).digest()),
  importKey: async (_: string, key: Uint8Array) => key,
  sign: async (_: string, key: Uint8Array, text: Uint8Array) =>
    memoryOf(crypto.createHmac("sha256", key).update(text).digest()),
};
