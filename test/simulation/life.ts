/** One life: people upload in processes that run core, while what was planned happens; at its end the world is asked. */
import { createHash } from "node:crypto";
import { Disk, SharedStore, type Trouble } from "./disk.ts";
import { BASE, Hosts } from "./hosts.ts";
import { checkEnd } from "./invariants.ts";
import { Network, type Sender } from "./network.ts";
import { type Plan, type PlannedEvent, planInWords } from "./plan.ts";
import { type Core, Machine, Process, type Program } from "./process.ts";
import { Content, SimulatedFile, type StoredFile } from "./source.ts";
import { STORES } from "./store.ts";
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
  /** The same for the same plan. */
  hash: string;
}

export interface Source extends StoredFile {
  versions: Content[];
}

/** A call of `upload()`, and what came of it. */
export interface Call extends Sender {
  source: Source;
  resume: boolean;
  beganAt: number;
  /** The contents of the source while it ran. */
  versions: Content[];
  result: Awaited<ReturnType<Core["upload"]>> | undefined;
  error: unknown;
  /** All that was reported meanwhile. */
  shown: string[];
  abort: () => void;
}

export async function live(plan: Plan, program: Program): Promise<Life> {
  const scene = new Scene(plan, program);
  const { world } = scene;
  await world.run(scene.play()).catch((error) => world.accuse(`the life broke off: ${error}`));
  scene.endAll();
  checkEnd(scene);
  const hash = createHash("sha256")
    .update(JSON.stringify([world.story, world.now]))
    .digest("hex");
  const story = [planInWords(plan), ...world.story];
  return { wrong: world.wrong, story, met: world.met, milliseconds: world.now, hash };
}

export class Scene {
  readonly plan: Plan;
  readonly world: World;
  readonly hosts: Hosts;
  readonly network: Network;
  readonly disk: Disk;
  readonly shared: SharedStore;
  readonly sources: Source[];
  readonly calls: Call[] = [];
  kills = 0;
  /** Milliseconds for which processes stood still. */
  stoodStill = 0;
  readonly #program: Program;
  readonly #machines: [Machine, Machine];
  readonly #journals = new WeakMap<Process, ReturnType<Core["memoryJournal"]>>();
  #steps = 0;
  #processes = 0;
  #asleepUntil = 0;
  /** What has yet to happen. */
  #planned: readonly PlannedEvent[];

  constructor(plan: Plan, program: Program) {
    this.plan = plan;
    this.#program = program;
    const world = new World(plan.seed);
    this.world = world;
    this.sources = plan.sizes.map((size, at) => {
      const content = new Content(plan.seed + at, size);
      return { name: `video-${at}.mp4`, content, versions: [content], date: 1 + at, tells: plan.tells };
    });
    const versionsOf = (name: string) => this.sources.find((each) => each.name === name)?.versions ?? [];
    this.#machines = [new Machine(world, "one"), new Machine(world, "two")];
    this.#machines[1].ahead = plan.ahead;
    this.hosts = new Hosts(
      world,
      STORES[plan.store] ?? { partSize: 0, overtakes: false, locks: true },
      versionsOf,
    );
    this.network = new Network(world, this.hosts);
    this.disk = new Disk(world, this.#machines[0].date);
    this.shared = new SharedStore(world);
    this.#planned = plan.events;
  }

  async play(): Promise<void> {
    for (const event of this.#planned)
      if (event.milliseconds !== undefined) this.world.after(event.milliseconds, () => this.#happen(event));
    await Promise.all(Array.from({ length: this.plan.people }, (_, at) => this.#person(at)));
    this.world.tell("from here on nothing goes wrong");
    this.endAll();
    this.#planned = [];
    this.network.due = [];
    Object.assign(this.hosts, { isAway: false, joinsThatFail: 0, staleFor: 0, refusals: [] });
    Object.assign(this.disk, { trouble: "none" });
    Object.assign(this.shared, { trouble: "none" });
    for (const source of this.sources) await this.#finish(source);
  }

  endAll() {
    for (const process of this.#processesNow()) {
      if (this.calls.some((call) => call.process === process && call.endedAt === undefined)) this.kills++;
      process.kill();
    }
  }

  #processesNow(): Process[] {
    return this.#machines.flatMap(({ processes }) => [...processes]);
  }

  /** Somebody who wants a source to be uploaded, and calls again until it is. */
  async #person(number: number): Promise<void> {
    const random = this.world.random(`person ${number}`);
    const source = random.pick(this.sources);
    if (number > 0) await this.world.wait(random.spread(1, 30_000));
    let process: Process | undefined;
    for (let tries = 0; tries < 8 && this.world.now < LAST_BEGINNING; tries++) {
      // Nobody sits at a machine that sleeps.
      await this.world.wait(this.#asleepUntil - this.world.now);
      if (process === undefined || process.isDead || random.chance(0.3)) process = this.#start(number);
      const call = await this.#call(process, source, tries === 0 || random.chance(0.9));
      if (call.result !== undefined) return;
      await this.world.wait(random.spread(1, 40_000));
    }
  }

  /** The last one to try, whom nothing keeps from success; whoever is told that nothing can be resumed starts over. */
  async #finish(source: Source): Promise<void> {
    let call = this.calls.filter((each) => each.source === source).at(-1);
    // Without `once` another call would upload it anew.
    if (call?.result !== undefined && !this.plan.once) return;
    for (let tries = 0; tries < LAST_TRIES; tries++) {
      await this.world.wait(15_000);
      const isLost = tries > 1 && (call?.error as { retryable?: boolean })?.retryable === false;
      call = await this.#call(this.#start(0), source, !isLost);
      this.endAll();
      if (call.result !== undefined) return;
    }
    this.world.accuse(`${source.name} was not uploaded, though nothing went wrong any more`);
  }

  #start(number: number): Process {
    this.#processes++;
    return new Process(this.#machines[number === 2 ? 1 : 0], {
      id: this.#processes,
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

  #journalOf(process: Process): ReturnType<Core["memoryJournal"]> {
    const { core } = process;
    const terms = { leaseTimeout: 10_000 };
    const open = {
      memory: () => core.memoryJournal(),
      folder: () => core.fileJournal("/journal", terms),
      shared: () =>
        core.sharedJournal(this.shared.storeOf(process), {
          ...terms,
          maxAge: 7 * DAY,
          keepDoneFor: 90 * DAY,
        }),
    };
    const journal = this.#journals.get(process) ?? open[this.plan.journal]();
    this.#journals.set(process, journal);
    return journal;
  }

  /** Resolves when the call has ended, or its process is gone. */
  #call(process: Process, source: Source, resume: boolean, discards = false): Promise<Call> {
    const { plan, world } = this;
    const stop = new AbortController();
    const abort = () => {
      if (call.abortedAt !== undefined || call.endedAt !== undefined) return;
      call.abortedAt = world.now;
      world.tell(`${call.name} is aborted`);
      stop.abort(new Error("the person stopped it"));
    };
    const call: Call = {
      ...{
        name: `p${process.id}.${this.calls.length + 1}`,
        process,
        source,
        abort,
        resume: resume && !discards,
      },
      ...{
        beganAt: world.now,
        abortedAt: undefined,
        endedAt: undefined,
        result: undefined,
        error: undefined,
      },
      ...{ versions: [source.content], shown: [], askedInVain: false },
    };
    this.calls.push(call);
    world.tell(`${call.name} ${discards ? "discards" : resume ? "uploads" : "uploads anew"} ${source.name}`);
    const given = plan.isStream ? streamOf(source.content) : (new SimulatedFile(source) as unknown as File);
    const client = process.core.createClient({
      ...{
        baseUrl: BASE,
        token: this.hosts.token,
        ...(plan.verify && { paths: { asset: "/api/asset/{id}" } }),
      },
      fetch: (address, init = {}) => this.network.fetch(call, String(address), init),
    });
    const show = (report: unknown) => void call.shown.push(JSON.stringify(report));
    const common = {
      ...{ journal: this.#journalOf(process), signal: stop.signal, onAnswer: show },
      retry: { attempts: plan.attempts },
    };
    const own = {
      ...{
        method: plan.method,
        once: plan.once,
        verify: plan.verify,
        resume,
        filename: source.name,
        onProgress: show,
      },
      ...(plan.isChunked && { chunkSize: 8 * 2 ** 20 }),
    };
    const work = discards
      ? process.core.discard(client, given, common).then(() => undefined)
      : process.core.upload(client, given, { ...common, ...own });
    return new Promise((resolve) => {
      process.onEnd(() => resolve(call));
      const end = (facts: Partial<Call>, words: string) => {
        if (process.isDead) return;
        Object.assign(call, facts, { endedAt: world.now });
        world.tell(`${call.name} ${words}`);
        resolve(call);
      };
      work.then(
        (result) => end({ result }, result === undefined ? "is done" : `has uploaded ${result.asset.id}`),
        (error) => end({ error }, `ends: ${error.code}: ${error.message}`),
      );
    });
  }

  #happen(event: PlannedEvent, by?: Process) {
    if (!this.#planned.includes(event)) return;
    this.#planned = this.#planned.filter((each) => each !== event);
    const { group, kind, size } = event;
    const { world, hosts, network, plan } = this;
    const processes = this.#processesNow();
    const process = by ?? processes[Math.floor(size * processes.length)];
    const lasts = 1_000 * 300 ** size;
    world.tell(group === "line" || group === "service" ? `${kind} comes next` : kind);
    if (group === "line") {
      const about = size < 0.2 ? "account" : size < 0.5 ? "upload" : "body";
      network.due.push({ kind, about, times: 1 + (Math.floor(size * 97) % 3) });
      return;
    }
    world.met.add(kind);
    if (group === "service") hosts.refusals.push(kind);
    else if (group === "hosts") {
      if (kind === "joining fails") hosts.joinsThatFail = 1 + Math.floor(size * 2);
      else if (kind === "replicas late") hosts.staleFor = 900 * size + 1;
      else {
        hosts.isAway = true;
        world.after(lasts / 3, () => Object.assign(hosts, { isAway: false }));
      }
    } else if (group === "process" && process !== undefined) {
      if (kind === "killed") this.#kill(process);
      else this.#stop(process, lasts);
    } else if (group === "machine") this.#move(kind, process?.machine ?? this.#machines[0], size, lasts);
    else if (group === "journal") {
      const store = plan.journal === "shared" ? this.shared : this.disk;
      store.trouble = kind.slice("journal ".length) as Trouble;
      world.after(lasts / 5, () => Object.assign(store, { trouble: "none" }));
    } else if (group === "person") this.#decide(kind, size);
  }

  #kill(process: Process) {
    this.kills++;
    this.world.tell(`p${process.id} is killed`);
    process.kill();
  }

  #stop(process: Process, milliseconds: number) {
    this.stoodStill += milliseconds;
    this.world.tell(`p${process.id} stands still for ${Math.round(milliseconds)} ms`);
    process.stop(milliseconds);
  }

  #move(kind: string, machine: Machine, size: number, lasts: number) {
    const { world } = this;
    if (kind === "clock set") {
      const step = (size < 0.5 ? -1 : 1) * 1_000 * 10 ** (4.9 * ((size * 2) % 1));
      world.tell(`the clock of machine ${machine.name} is set by ${Math.round(step)} ms`);
      machine.ahead += step;
      this.network.tolerance = 2_500;
    } else if (kind === "power cut") {
      for (const process of machine.processes) this.#kill(process);
      this.disk.cutPower();
    } else if (world.now >= this.#asleepUntil) {
      const sleeps = kind === "days passed" ? (1 + 2 * size) * DAY : lasts;
      this.#asleepUntil = world.now + sleeps;
      for (const each of kind === "days passed" ? this.#machines : [machine]) {
        for (const process of each.processes) this.#stop(process, sleeps);
        each.slept += sleeps;
      }
      if (kind === "days passed") world.after(sleeps * 0.9, () => this.hosts.sweep());
    }
  }

  #decide(kind: string, size: number) {
    if (this.world.now < this.#asleepUntil) return;
    const running = this.calls.filter(({ endedAt, process }) => endedAt === undefined && !process.isDead);
    if (kind === "file changed") {
      const source = this.sources[Math.floor(size * this.sources.length)] as Source;
      const content = new Content(this.plan.seed + 2 + source.versions.length, source.content.size);
      source.versions.push(content);
      Object.assign(source, { content, date: source.date + 10 });
      for (const call of running) if (call.source === source) call.versions.push(content);
      return;
    }
    const awake = running.filter(({ process }) => !process.isStopped);
    const call = awake[Math.floor(size * awake.length)];
    if (call === undefined) return;
    if (kind !== "called again at once") call.abort();
    if (kind !== "aborted") void this.#call(call.process, call.source, true, kind === "discarded");
  }
}

function streamOf(content: Content): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const end = Math.min(content.size, at + 1_000_003);
      if (at < end) controller.enqueue(content.read(at, end));
      at = end;
      if (at === content.size) controller.close();
    },
  });
}
