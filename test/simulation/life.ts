/** One life: people upload in processes that run core, while what was planned happens; at its end the world is asked. */
import { inspect } from "node:util";
import { Disk, SharedStore } from "./disk.ts";
import { EVENTS } from "./events.ts";
import { BASE, Hosts } from "./hosts.ts";
import { checkEnd } from "./invariants.ts";
import { Network, type Sender } from "./network.ts";
import { type Plan, type PlannedEvent, planInWords } from "./plan.ts";
import { type Core, Machine, Process, type Program } from "./process.ts";
import { Content, fileOf, type StoredFile, streamOf } from "./source.ts";
import { World } from "./world.ts";

const DAY = 86_400_000;
/** Milliseconds after which nobody begins any more. */
const LAST_BEGINNING = 400_000;
/** Tries after which an upload must have come to its end, once nothing goes wrong. */
const LAST_TRIES = 8;

export interface Life {
  wrong: readonly string[];
  story: readonly string[];
  met: ReadonlySet<string>;
  milliseconds: number;
}

export interface Source extends StoredFile {
  versions: Content[];
}

/** A call of `upload()`, and what came of it. */
export interface Call extends Sender {
  source: Source;
  resumes: boolean;
  beganAt: number;
  /** The contents of the source while it ran. */
  versions: Content[];
  result?: Awaited<ReturnType<Core["upload"]>> | undefined;
  error?: unknown;
  /** All that was reported meanwhile. */
  shown: string[];
  /** Tells whether it ran. */
  abort: () => boolean;
}

export async function live(plan: Plan, program: Program): Promise<Life> {
  const scene = new Scene(plan, program);
  const { world } = scene;
  await world.run(scene.play()).catch((error) => world.accuse(`the life broke off: ${error}`));
  scene.endAll();
  checkEnd(scene);
  const story = [planInWords(plan), ...world.story];
  return { wrong: world.wrong, story, met: world.met, milliseconds: world.now };
}

export class Scene {
  readonly plan: Plan;
  readonly world: World;
  readonly hosts: Hosts;
  readonly network: Network;
  readonly disk: Disk;
  readonly shared: SharedStore;
  readonly sources: Source[];
  readonly machines: readonly [Machine, Machine];
  readonly calls: Call[] = [];
  readonly #program: Program;
  readonly #journals = new WeakMap<Process, ReturnType<Core["memoryJournal"]>>();
  #steps = 0;
  #processes = 0;
  /** What has yet to happen. */
  #planned: readonly PlannedEvent[];

  constructor(plan: Plan, program: Program) {
    const world = new World(plan.seed);
    this.plan = plan;
    this.world = world;
    this.#program = program;
    this.#planned = plan.events;
    const followers = plan.events.filter(({ follows }) => follows);
    world.onMeeting = () => {
      const next = followers.shift();
      if (next !== undefined) world.after(next.milliseconds, () => this.#happen(next));
    };
    this.sources = plan.sizes.map((size, at) => {
      const content = new Content(plan.seed + at, size);
      return { name: `video-${at}.mp4`, content, versions: [content], date: 1 + at, tells: plan.tells };
    });
    this.machines = [new Machine(world, "one"), new Machine(world, "two")];
    this.machines[1].ahead = plan.ahead;
    const versionsOf = (name: string) => this.sources.find((each) => each.name === name)?.versions ?? [];
    this.hosts = new Hosts(world, plan, versionsOf);
    this.network = new Network(world, this.hosts);
    this.disk = new Disk(world, this.machines[0].date);
    this.shared = new SharedStore(world);
  }

  /** Where the journal is kept, unless it goes with its process. */
  get kept(): Disk | SharedStore | undefined {
    return { folder: this.disk, shared: this.shared, memory: undefined }[this.plan.journal];
  }

  async play(): Promise<void> {
    for (const event of this.#planned)
      if (event.step === undefined && !event.follows)
        this.world.after(event.milliseconds, () => this.#happen(event));
    await Promise.all(Array.from({ length: this.plan.people }, (_, at) => this.#person(at)));
    this.world.tell("from here on nothing goes wrong");
    this.endAll();
    this.#planned = [];
    this.network.due = [];
    const calm = { isAway: false, joinsThatFail: 0, joinsMissed: 0, partsLost: 0, staleFor: 0, refusals: [] };
    Object.assign(this.hosts, calm);
    if (this.kept !== undefined) this.kept.trouble = undefined;
    for (const source of this.sources) await this.#finish(source);
  }

  endAll() {
    for (const { processes } of this.machines) for (const process of processes) process.kill();
  }

  /** Somebody who wants a source to be uploaded, and calls again until it is. */
  async #person(number: number): Promise<void> {
    const random = this.world.random(`person ${number}`);
    const source = random.pick(this.sources);
    const machine = this.machines[number === 2 ? 1 : 0];
    if (number > 0) await this.world.wait(random.spread(1, 30_000));
    let process: Process | undefined;
    for (let tries = 0; tries < 8 && this.world.now < LAST_BEGINNING; tries++) {
      // Nobody sits at a machine that sleeps.
      await this.world.wait(machine.asleepUntil - this.world.now);
      if (process === undefined || process.isDead || random.chance(0.3)) process = this.#start(machine);
      const resumes = tries === 0 || random.chance(0.9);
      const call = await this.call(process, source, resumes ? "uploads" : "uploads anew");
      if (call.result !== undefined) return;
      await this.world.wait(random.spread(100, 60_000));
    }
  }

  /** The last one to try, whom nothing keeps from success; whoever is told that nothing can be resumed starts over. */
  async #finish(source: Source): Promise<void> {
    let call = this.calls.filter((each) => each.source === source).at(-1);
    // Without `once` another call would upload it anew.
    if (call?.result !== undefined && !this.plan.once) return;
    for (let tries = 0; tries < LAST_TRIES; tries++) {
      await this.world.wait(Math.max(15_000, this.machines[0].asleepUntil - this.world.now));
      const isLost = tries > 1 && (call?.error as { retryable?: boolean })?.retryable === false;
      call = await this.call(this.#start(this.machines[0]), source, isLost ? "uploads anew" : "uploads");
      this.endAll();
      if (call.result !== undefined) return;
    }
    this.world.accuse(`${source.name} was not uploaded, though nothing went wrong any more`);
  }

  #start(machine: Machine): Process {
    return new Process(machine, {
      id: ++this.#processes,
      isPage: this.plan.isPage,
      program: this.#program,
      files: (process) => this.disk.filesOf(process),
      onStep: (process) => {
        this.#steps++;
        for (const event of this.#planned)
          if (event.step !== undefined && event.step <= this.#steps) this.#happen(event, process);
      },
    });
  }

  #happen(event: PlannedEvent, by?: Process) {
    const { kind, size } = event;
    if (!this.#planned.includes(event)) return;
    this.#planned = this.#planned.filter((each) => each !== event);
    const processes = this.machines.flatMap((machine) => [...machine.processes]);
    this.world.tell(kind);
    const hasHappened = EVENTS[kind]?.(this, size, by ?? processes[Math.floor(size * processes.length)]);
    if (hasHappened) this.world.meet(kind);
  }

  /** Tells whether it was there. */
  kill(process: Process): boolean {
    if (!process.isDead) this.world.tell(`p${process.id} is killed`);
    return process.kill();
  }

  /** One of the calls that run. */
  callAt(share: number): Call | undefined {
    const running = this.calls.filter(
      ({ endedAt, process }) => endedAt === undefined && !process.isDead && !process.isStopped,
    );
    return running[Math.floor(share * running.length)];
  }

  /** Resolves when the call has ended, or its process is gone. */
  call(process: Process, source: Source, how: "uploads" | "uploads anew" | "discards" = "uploads") {
    const { world } = this;
    const stop = new AbortController();
    const call: Call = {
      name: `p${process.id}.${this.calls.length + 1}`,
      process,
      source,
      resumes: how === "uploads",
      beganAt: world.now,
      versions: [source.content],
      shown: [],
      abort: () => {
        if (call.abortedAt !== undefined || call.endedAt !== undefined) return false;
        call.abortedAt = world.now;
        world.tell(`${call.name} is aborted`);
        stop.abort(new Error("the person stopped it"));
        return true;
      },
    };
    this.calls.push(call);
    world.tell(`${call.name} ${how} ${source.name}`);
    return new Promise<Call>((resolve) => {
      process.onEnd(() => resolve(call));
      const end = (facts: Partial<Call>, words: string) => {
        if (process.isDead) return;
        Object.assign(call, facts, { endedAt: world.now });
        world.tell(`${call.name} ${words}`);
        resolve(call);
      };
      this.#run(call, stop.signal, how === "discards").then(
        (result) => end({ result }, result === undefined ? "is done" : `has uploaded ${result.asset.id}`),
        (error) => end({ error }, `ends: ${error.code}: ${error.message}`),
      );
    });
  }

  async #run(call: Call, signal: AbortSignal, discards: boolean): Promise<Call["result"]> {
    const { plan } = this;
    const { process, source } = call;
    const given = plan.isStream ? streamOf(source.content) : fileOf(source);
    const client = process.core.createClient({
      baseUrl: BASE,
      token: this.hosts.token,
      ...(plan.verify && { paths: { asset: "/api/asset/{id}" } }),
      fetch: (address, init = {}) => this.network.fetch(call, String(address), init),
    });
    const show = (report: unknown) => void call.shown.push(inspect(report, { depth: 9 }));
    const common = {
      journal: this.#journalOf(process),
      signal,
      onRequest: show,
      onResponse: show,
      retry: plan.retry,
    };
    if (discards) return void (await process.core.discard(client, given, common));
    return await process.core.upload(client, given, {
      ...common,
      method: plan.method,
      once: plan.once,
      verify: plan.verify,
      resume: call.resumes,
      filename: source.name,
      onProgress: show,
      retry: { ...plan.retry, shouldRetry: show },
      ...(plan.isChunked && plan.store.partSize === 0 && { chunkSize: 24 * 2 ** 20 }),
    });
  }

  #journalOf(process: Process): ReturnType<Core["memoryJournal"]> {
    const { core } = process;
    const terms = { leaseTimeout: 10_000 };
    const lifetimes = { maxAge: 7 * DAY, keepDoneFor: 90 * DAY };
    const open = {
      memory: () => core.memoryJournal(),
      folder: () => core.fileJournal("/journal", terms),
      shared: () => core.sharedJournal(this.shared.storeOf(process), { ...terms, ...lifetimes }),
    };
    const journal = this.#journals.get(process) ?? open[this.plan.journal]();
    this.#journals.set(process, journal);
    return journal;
  }
}
