/** One life: people upload in processes that run core, while what was planned happens; at its end the world is asked. */
import { createHash } from "node:crypto";
import { Disk, Redis, type Trouble } from "./disk.ts";
import { BASE, Hosts } from "./hosts.ts";
import { checkEnd, checkTold, type Told } from "./invariants.ts";
import { type LineFault, Network, type Sender } from "./network.ts";
import { EVENTS, type Plan, type PlannedEvent, planInWords } from "./plan.ts";
import { type Core, Machine, Process, type Program } from "./process.ts";
import { Content, SimulatedFile, type StoredFile } from "./source.ts";
import { STORES } from "./store.ts";
import { World } from "./world.ts";

const DAY = 86_400_000;
/** Milliseconds after which nothing goes wrong any more. */
const CALM = 400_000;
/** Tries after which an upload must have come to its end, once nothing goes wrong. */
const LAST_TRIES = 8;

export interface Life {
  wrong: readonly string[];
  story: readonly string[];
  met: ReadonlySet<string>;
  milliseconds: number;
  /** The same for the same seed. */
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
  /** True if the clock was set, or the journal was in trouble meanwhile. */
  isDisturbed: boolean;
  versions: Content[];
  told: Told | undefined;
  abort: () => void;
  /** Resolves when it has ended, or its process is gone. */
  over: Promise<void>;
}

export async function live(plan: Plan, program: Program): Promise<Life> {
  const scene = new Scene(plan, program);
  const { world } = scene;
  await world.run(scene.play());
  scene.end();
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
  readonly redis: Redis;
  readonly sources: Source[];
  readonly calls: Call[] = [];
  /** Processes that ended before their time, with what they knew. */
  kills = 0;
  discards = 0;
  /** Milliseconds for which processes stood still. */
  stoodStill = 0;
  readonly #program: Program;
  readonly #machines: Machine[];
  #steps = 0;
  #processes = 0;
  #due: PlannedEvent[];
  #isCalm = false;
  #asleepUntil = 0;

  constructor(plan: Plan, program: Program) {
    this.plan = plan;
    this.#program = program;
    this.world = new World(plan.seed);
    const versionsOf = (name: string) => this.sources.find((each) => each.name === name)?.versions ?? [];
    const traits = STORES[plan.store];
    if (traits === undefined) throw new Error(`there is no store "${plan.store}"`);
    this.hosts = new Hosts(this.world, traits, versionsOf);
    this.network = new Network(this.world, this.hosts);
    this.redis = new Redis(this.world);
    this.sources = plan.sizes.map((size, at) => {
      const content = new Content(plan.seed + at, size);
      return { name: `video-${at}.mp4`, content, versions: [content], date: 1 + at, tells: plan.tells };
    });
    this.#machines = ["one", "two"].map((name) => new Machine(this.world, name));
    Object.assign(this.#machines[1] as Machine, { ahead: plan.ahead });
    this.disk = new Disk(this.world, () => this.#machines[0]?.date() ?? 0);
    this.#due = plan.events.filter(({ at }) => "step" in at);
  }

  async play(): Promise<void> {
    const { events, people } = this.plan;
    for (const event of events)
      if ("milliseconds" in event.at) this.world.after(event.at.milliseconds, () => this.#happen(event));
    const persons = Array.from({ length: people }, (_, at) => this.#person(at));
    await Promise.all(persons);
    this.#calm();
    for (const source of this.sources) {
      const own = this.calls.filter((call) => call.source === source);
      // Without `once` another call would upload it anew.
      const isDone = !this.plan.once && own.at(-1)?.told?.result !== undefined;
      if (!isDone) await this.#finish(source);
    }
  }

  end() {
    for (const machine of this.#machines) for (const process of [...machine.processes]) process.kill();
    if (this.world.wrong.length === 0) checkEnd(this);
    checkTold(this);
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.world.after(milliseconds, resolve));
  }

  /** Somebody who wants a source to be uploaded, and calls again until it is. */
  async #person(number: number): Promise<void> {
    const random = this.world.random(`person ${number}`);
    const source = random.pick(this.sources);
    await this.#wait(number === 0 ? 0 : random.spread(1, 30_000));
    let process: Process | undefined;
    for (let tries = 0; tries < 8 && this.world.now < CALM; tries++) {
      // Nobody sits at a machine that sleeps.
      await this.#wait(this.#asleepUntil - this.world.now);
      if (process === undefined || process.isDead || random.chance(0.3)) process = this.#start(number);
      const call = this.#call(process, source, tries === 0 || random.chance(0.9));
      await call.over;
      if (call.told?.result !== undefined) return;
      await this.#wait(random.spread(1, 40_000));
    }
  }

  #start(number: number): Process {
    const machine = this.#machines[number % 3 === 2 ? 1 : 0] as Machine;
    const { isPage } = this.plan;
    const files = (process: Process) => this.disk.filesOf(process);
    const onStep = (process: Process) => this.#step(process);
    this.#processes++;
    return new Process(
      { world: this.world, machine, program: this.#program, isPage, files, onStep },
      this.#processes,
    );
  }

  #journals = new WeakMap<Process, ReturnType<Core["memoryJournal"]>>();

  #journalOf(process: Process): ReturnType<Core["memoryJournal"]> {
    const known = this.#journals.get(process);
    if (known !== undefined) return known;
    const { core } = process;
    const { journal: kind } = this.plan;
    const made = {
      memory: () => core.memoryJournal(),
      folder: () => core.fileJournal("/home/person/journal", { leaseTimeout: 10_000 }),
      redis: () => core.redisJournal(this.redis.clientOf(process), { leaseTimeout: 10_000 }),
    }[kind]();
    this.#journals.set(process, made);
    return made;
  }

  #sender(process: Process, name: string): Sender {
    return { name, process, abortedAt: undefined, endedAt: undefined };
  }

  #clientOf(process: Process, sender: Sender) {
    const paths = this.plan.verify ? { asset: "/api/asset/{id}" } : {};
    const fetch = this.network.fetchOf(sender);
    return process.core.createClient({ baseUrl: BASE, token: this.hosts.token, paths, fetch });
  }

  #call(process: Process, source: Source, resume: boolean, discards = false): Call {
    const { plan, world } = this;
    const number = this.calls.length + 1;
    const sender = this.#sender(process, `p${process.id}.${number}`);
    const stop = new AbortController();
    const shown: string[] = [];
    const call: Call = Object.assign(sender, {
      ...{
        source,
        resume,
        beganAt: world.now,
        versions: [source.content],
        told: undefined,
        isDisturbed: this.disk.trouble !== "none" || this.redis.trouble !== "none",
      },
      abort: () => {
        if (call.abortedAt !== undefined || call.endedAt !== undefined) return;
        call.abortedAt = world.now;
        world.tell(`${call.name} is aborted`);
        stop.abort(new Error("the person stopped it"));
      },
      over: Promise.resolve(),
    });
    this.calls.push(call);
    const what = discards ? "discards" : `uploads${resume ? "" : ", starting over"}`;
    world.tell(`${call.name} ${what} ${source.name}`);
    const given = plan.isStream ? streamOf(source) : (new SimulatedFile(source) as unknown as File);
    const common = {
      ...{ journal: this.#journalOf(process), signal: stop.signal },
      retry: { attempts: plan.attempts },
      onAnswer: (report: unknown) => shown.push(JSON.stringify(report)),
    };
    const own = {
      ...{ method: plan.method, once: plan.once, verify: plan.verify, resume, filename: source.name },
      ...(plan.chunked && !plan.isStream && { chunkSize: 8 * 2 ** 20 }),
      onProgress: (progress: unknown) => shown.push(JSON.stringify(progress)),
    };
    const client = this.#clientOf(process, call);
    const { core } = process;
    const work = discards
      ? core.discard(client, given, common)
      : core.upload(client, given, { ...common, ...own });
    call.over = new Promise<void>((resolve) => {
      process.onEnd(resolve);
      const end = (told: Told) => {
        if (process.isDead) return;
        call.told = { ...told, shown };
        call.endedAt = world.now;
        world.tell(`${call.name} ${inWords(told)}`);
        resolve();
      };
      work.then(
        (result) => end({ result: "asset" in result ? result : undefined, error: undefined, shown }),
        (error) => end({ result: undefined, error, shown }),
      );
    });
    return call;
  }

  #step(process: Process) {
    this.#steps++;
    for (const event of this.#due)
      if ("step" in event.at && event.at.step <= this.#steps) {
        this.#due = this.#due.filter((each) => each !== event);
        this.#happen(event, process);
      }
  }

  #happen(event: PlannedEvent, by?: Process) {
    if (this.#isCalm) return;
    const { kind, size } = event;
    const { world, hosts, network, plan } = this;
    const all = this.#machines.flatMap(({ processes }) => [...processes]);
    const process = by ?? all[Math.floor(size * all.length)];
    const { machine } = process ?? { machine: this.#machines[0] as Machine };
    const group = EVENTS[kind];
    const lasts = 1_000 * 300 ** size;
    world.tell(`${kind}${group === "line" || group === "service" ? " comes next" : ""}`);
    if (group !== "line") world.met.add(kind);
    if (group === "line") {
      const about = size < 0.2 ? "account" : size < 0.5 ? "upload" : "body";
      network.due.push({ kind: kind as LineFault, about, times: 1 + Math.floor((size * 97) % 3) });
    } else if (group === "service")
      hosts.refusals.push(
        kind === "asked too often" ? "limit" : kind === "service failed" ? "failure" : "failure after it",
      );
    else if (kind === "store away") {
      hosts.isAway = true;
      world.after(lasts / 3, () => {
        hosts.isAway = false;
      });
    } else if (kind === "joining fails") hosts.joinsThatFail = 1 + Math.floor(size * 2);
    else if (kind === "replicas late") hosts.staleFor = 900 * size;
    else if (group === "process" && process !== undefined) this.#strike(kind, process, lasts);
    else if (group === "machine") this.#move(kind, machine, size, lasts);
    else if (group === "journal") {
      const store = plan.journal === "redis" ? this.redis : this.disk;
      store.trouble = kind.slice("journal ".length) as Trouble;
      this.#disturb();
      world.after(lasts / 5, () => {
        store.trouble = "none";
      });
    } else if (group === "person") this.#decide(kind, size);
  }

  #strike(kind: string, process: Process, lasts: number) {
    if (kind === "killed") {
      this.kills++;
      this.world.tell(`p${process.id} is killed`);
      process.kill();
    } else this.#stop(process, lasts);
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
      this.#disturb();
      this.network.tolerance = 2_500;
    } else if (kind === "power cut") {
      for (const process of [...machine.processes]) this.#strike("killed", process, 0);
      this.disk.cutPower();
    } else if (kind === "offline") {
      machine.isOffline = true;
      world.after(lasts, () => {
        machine.isOffline = false;
        for (const process of machine.processes) process.online();
      });
    } else {
      const sleeps = kind === "days passed" ? (1 + 2 * size) * DAY : lasts;
      const sleeping = kind === "days passed" ? this.#machines : [machine];
      if (world.now < this.#asleepUntil) return;
      this.#asleepUntil = world.now + sleeps;
      for (const each of sleeping) {
        for (const process of each.processes) this.#stop(process, sleeps);
        each.slept += sleeps;
      }
      if (kind === "days passed") world.after(sleeps * 0.9, () => this.hosts.sweep());
    }
  }

  #disturb(): void {
    for (const call of this.calls) if (call.endedAt === undefined) call.isDisturbed = true;
  }

  #decide(kind: string, size: number) {
    if (this.world.now < this.#asleepUntil) return;
    const running = this.calls.filter(
      (call) => call.endedAt === undefined && !call.process.isDead && !call.process.isStopped,
    );
    const call = running[Math.floor(size * running.length)];
    if (kind === "file changed") {
      const source = this.sources[Math.floor(size * this.sources.length)] as Source;
      const number = this.plan.seed + 3 + source.versions.length;
      const content = new Content(number, source.content.size);
      source.versions.push(content);
      Object.assign(source, { content, date: source.date + 10 });
      for (const each of this.calls)
        if (each.source === source && each.endedAt === undefined) each.versions.push(content);
    } else if (call === undefined) return;
    else if (kind === "discarded") {
      this.discards++;
      call.abort();
      this.#call(call.process, call.source, true, true);
    } else {
      if (kind.startsWith("aborted")) call.abort();
      if (kind !== "aborted") this.#call(call.process, call.source, true);
    }
  }

  /** From here on nothing goes wrong any more, and nobody is left. */
  #calm() {
    const { hosts, network, disk, redis, world } = this;
    this.#isCalm = true;
    world.tell("from here on nothing goes wrong");
    for (const machine of this.#machines) {
      for (const process of [...machine.processes]) {
        if (this.calls.some((call) => call.process === process && call.endedAt === undefined)) this.kills++;
        process.kill();
      }
      machine.isOffline = false;
    }
    Object.assign(hosts, { isAway: false, joinsThatFail: 0, staleFor: 0 });
    hosts.refusals.length = 0;
    network.isCalm = true;
    Object.assign(disk, { trouble: "none" });
    Object.assign(redis, { trouble: "none" });
  }

  /** The last one to try, whom nothing keeps from success. */
  async #finish(source: Source): Promise<void> {
    for (let tries = 0; tries < LAST_TRIES; tries++) {
      await this.#wait(15_000);
      const process = this.#start(0);
      // Whoever is told that it can't be resumed starts over.
      const { error } = this.calls.at(-1)?.told ?? {};
      const isLost = tries > 1 && isFinal(error);
      const call = this.#call(process, source, !isLost);
      await call.over;
      process.kill();
      if (call.told?.result !== undefined) return;
    }
    this.world.accuse(`${source.name} was not uploaded, though nothing went wrong any more`);
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof Error && "retryable" in error && error.retryable === false;
}

function streamOf({ content }: Source): ReadableStream<Uint8Array> {
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

function inWords({ result, error }: Told): string {
  if (result !== undefined) return `has uploaded ${result.asset.id}${result.uploadedBefore ? " before" : ""}`;
  if (error === undefined) return "is done";
  const { code, message } = error as { code?: string; message?: string };
  return `ends: ${code ?? "no code"}: ${message?.slice(0, 140)}`;
}
