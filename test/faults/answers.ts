/** The second dimension of the matrix: a fault in an answer, of one request, met by one client. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ErrorCode } from "../../core/mod.ts";
import { content, sha256, writeContent } from "../content.ts";
import { scratchFolder } from "../scratch.ts";
import { type Client, type ClientName, type Lab, MiB, openLab, startClient, videoFolder } from "./lab.ts";
import type { ClientOutcome, ClientPlan } from "./plan.ts";
import { type Choose, type HonestAnswer, NO_FAULT, type ProxiedRequest } from "./proxy.ts";
import { piecesOf } from "./spellings.ts";

/** The requests whose answers are faulty. "last PATCH" is the one that makes an upload whole. */
export const CALLS = [
  "request-upload",
  "terminate",
  "POST",
  "HEAD",
  "PATCH",
  "last PATCH",
  "PUT",
  "DELETE",
] as const;
export type Call = (typeof CALLS)[number];
/** What a cell may end in: whole (or done, where nothing is uploaded), or an error with this code. */
export type End = "whole" | ErrorCode;
/** One end, or several where the runtimes read an answer differently. */
type Ends = End | readonly End[];

/** What a faulty answer is made of. */
export interface Faulty {
  /** Empty where the request was not delivered. */
  honest: HonestAnswer;
  call: Call;
  request: ProxiedRequest;
  lab: Lab;
  /** An origin that nobody may ask. */
  elsewhere: string;
}

export interface AnswerFault {
  name: string;
  /** The same where a browser understands the answer in its own way. */
  browserEnds?: Partial<Record<Call, Ends>>;
  /** @default all */
  calls?: readonly Call[];
  /** Whether the service does what it is asked. @default true */
  delivered?: boolean;
  /** Makes what takes its time to be made. */
  prepare?(): Promise<unknown>;
  reply(socket: Socket, about: Faulty): void;
  /** What calls end in by its nature, for good or once. @default `LASTING`, `PASSING` */
  ends?: Partial<Record<Call, Ends>>;
  /** What was answered is remembered, so that a later call ends in an error too. */
  stays?: boolean;
  /** Bytes of memory that a runtime takes before core hears of the answer at all. @default `MOST_MEMORY` */
  memory?: Partial<Record<ClientName, number>>;
  /** Why there is no such fault in Chromium. */
  notInChromium?: string;
}

export type Source = "disk" | "memory";
export type Duration = "lasting" | "passing";

export interface AnswerCell {
  fault: string;
  call: Call;
  client: ClientName;
  source: Source;
  duration: Duration;
  outcome: string;
  problem: string | undefined;
  milliseconds: number;
  /** Bytes by which the client's memory grew at most since it was started. */
  growth: number;
}

/** Two requests by the resumable method: a whole part, and what is left. */
const LARGE = 8 * MiB + 5;
/** One request, for calls that need no more. */
const SMALL = 256 * 1024;
const SHA256 = new Map([SMALL, LARGE].map((size) => [size, sha256(content(size))]));
const sizeOf = (call: Call) => (/PATCH|DELETE/.test(call) ? LARGE : SMALL);
/** Bytes of memory that a client may take above what it had when it was ready. */
export const MOST_MEMORY: number = 150 * MiB;
/** Milliseconds within which each call has to end, on a busy machine too. */
const LONGEST_CALL = 30_000;
/** Milliseconds for calls that are answered honestly. */
const PATIENT = 20_000;
/** Milliseconds within which a client ends that has nothing left to do. */
const LONGEST_END = 15_000;
const NEVER = "the fault never happened";
/** Faults that one browser meets. */
const BROWSER_FAULTS = 8;

/** A call that is never repeated can't know what came of it; what is nonsense to one runtime is none to another. */
const ONCE = {
  "request-upload": ["asset-unknown", "unexpected-answer", "whole"],
  terminate: ["terminate-unknown", "unexpected-answer", "whole"],
} as const;
const GIVEN_UP = ["interrupted", "whole"] as const;
/** What is right while every answer is faulty. */
const LASTING: Record<Call, Ends> = {
  ...ONCE,
  POST: GIVEN_UP,
  HEAD: GIVEN_UP,
  PATCH: GIVEN_UP,
  "last PATCH": GIVEN_UP,
  PUT: GIVEN_UP,
  DELETE: GIVEN_UP,
};
/** What is right where one answer was. */
const PASSING: Record<Call, Ends> = {
  ...ONCE,
  POST: "whole",
  HEAD: "whole",
  PATCH: "whole",
  "last PATCH": "whole",
  PUT: "whole",
  DELETE: "whole",
};

/** A client that carries out plans one after another. */
interface OpenClient {
  script: Client;
  /** What its processes had when they were ready. */
  memory: number;
  processes: number[];
}

/** A lab with one client, and what is needed for its cells. */
export interface AnswerLab {
  /** The cells of a fault, or some of them, after which the client has to end by itself; a browser stays for several. */
  runAll(fault: AnswerFault, call?: Call): Promise<AnswerCell[]>;
  close(): Promise<void>;
}

export async function openAnswerLab(client: ClientName, elsewhere: Elsewhere): Promise<AnswerLab> {
  const lab = await openLab({ parts: true, processing: "hash" }, { client });
  const folder = await videoFolder();
  const journals = await scratchFolder("journal");
  const pathOf = (size: number) => join(folder.path, `${size}.mp4`);
  for (const size of [SMALL, LARGE]) await writeContent(pathOf(size), size);
  let open: OpenClient | undefined;
  let cells = 0;
  let turns = 0;
  let faults = 0;

  /** Carries out a plan; a client that hangs or crashes is left, and the next plan gets another. */
  async function carryOut(plan: ClientPlan) {
    open ??= await openClient(lab, client);
    const { script, processes } = open;
    // A browser keeps what ordinary uploads took, in several processes: there each call counts for itself.
    const memory = client === "chromium" ? memoryOf(processes) : open.memory;
    const before = script.output().length;
    const sampler = sampleMemory(processes);
    const began = Date.now();
    script.process.stdin?.write(`${JSON.stringify(plan)}\n`);
    const outcome = await Promise.race([
      outcomeAfter(script, before),
      delay(LONGEST_CALL, undefined, { ref: false }).then(
        (): ClientOutcome => ({ kind: "hang", output: script.output().slice(before) }),
      ),
    ]);
    const milliseconds = Date.now() - began;
    if (outcome.kind === "hang" || outcome.kind === "crash") {
      script.kill();
      open = undefined;
    }
    return {
      outcome,
      milliseconds,
      growth: sampler.stop() - memory,
      printed: script.output().slice(before),
    };
  }

  async function run(fault: AnswerFault, call: Call, source: Source, duration: Duration) {
    cells++;
    const scene = { client, call, duration, source, number: cells };
    // A file of its own: another date is another file.
    const size = sizeOf(call);
    const path = pathOf(size);
    await utimes(path, cells, cells);
    const journal = join(journals.path, randomUUID(), "journal");
    const [stream] = call === "terminate" ? await lab.service.streams() : [];
    if (stream !== undefined) await lab.service.startSession(stream.id);
    const plan: ClientPlan = {
      ...(source === "disk" && client !== "chromium"
        ? { path }
        : { video: { size, lastModified: cells * 1000 } }),
      method: call === "PUT" ? "direct" : "resumable",
      ...(client !== "chromium" && { journal }),
      ...(stream && { terminate: stream.id }),
      ...(call === "DELETE" && { discard: "once begun" }),
      timeout: call === "request-upload" || call === "terminate" ? 800 : PATIENT,
      options: {
        retry: { attempts: duration === "lasting" ? 2 : 20, minDelay: 5, maxDelay: 50, outageDelay: 20 },
        timeouts: { stall: 800, answer: 600, settle: 20 },
      },
    };
    const armed = arm(lab, fault, scene, elsewhere.origin);
    const bytes = lab.upload.bytes;
    const first = await carryOut(plan);
    const told = [first];
    let problem = armed.sockets.length === 0 ? NEVER : undefined;
    problem ??= await judge(lab, fault, scene, first.outcome);
    const resent = lab.upload.bytes - bytes;
    if (resent > 6 * size) problem ??= `${resent} bytes were sent`;
    if (armed.sockets.length > 20) problem ??= `${armed.sockets.length} requests`;
    if (elsewhere.connections > 0 && client !== "chromium") problem ??= "another origin was asked";
    disarm(lab);
    problem ??= await stillOpen(armed.sockets, scene);
    if (first.outcome.kind === "error" && call !== "terminate") {
      const second = await carryOut({
        ...plan,
        ...(call === "DELETE" && { discard: "at once" }),
        timeout: PATIENT,
        options: { retry: { attempts: 4, minDelay: 20, maxDelay: 500 }, timeouts: { settle: 20 } },
      });
      told.push(second);
      problem ??= await judgeAgain(lab, fault, call, first.outcome, second.outcome);
    }
    for (const { outcome, printed } of told) problem ??= leakOf(armed.secrets, outcome, printed);
    const growth = Math.max(...told.map((each) => each.growth));
    if (growth > (fault.memory?.[client] ?? MOST_MEMORY))
      problem ??= `${Math.round(growth / MiB)} MiB of memory`;
    elsewhere.connections = 0;
    await lab.service.reset();
    return {
      ...{ fault: fault.name, call, client, source, duration, problem, growth },
      outcome: told.map(({ outcome }) => inWords(outcome)).join(", then "),
      milliseconds: first.milliseconds,
    };
  }

  async function endClient(): Promise<string | undefined> {
    if (open === undefined) return undefined;
    const { script } = open;
    open = undefined;
    script.process.stdin?.end();
    const end = await Promise.race([script.ended(), delay(LONGEST_END, undefined, { ref: false })]);
    if (end === undefined) script.kill();
    if (end === undefined) return `it has not ended ${LONGEST_END / 1000} s after its last call`;
    return end.code === 0 ? undefined : `it ended with ${end.code}: ${end.output.slice(-500)}`;
  }

  async function runAll(fault: AnswerFault, wanted?: Call): Promise<AnswerCell[]> {
    const done: AnswerCell[] = [];
    turns++;
    await fault.prepare?.();
    for (const call of callsOf(fault, client)) {
      if (wanted !== undefined && call !== wanted) continue;
      for (const duration of ["lasting", "passing"] as const) {
        const source = sourceOf(client, turns++);
        const cell = await run(fault, call, source, duration);
        // On a busy machine a call with a short timeout may end before it was heard.
        done.push(cell.problem === NEVER ? await run(fault, call, source, duration) : cell);
      }
    }
    faults++;
    // A browser takes its time to start.
    const trouble = client === "chromium" && faults % BROWSER_FAULTS > 0 ? undefined : await endClient();
    const last = done.at(-1);
    if (last !== undefined) last.problem ??= trouble;
    return done;
  }

  return {
    runAll,
    async close() {
      await endClient();
      await lab.close();
      await Promise.all([folder.remove(), journals.remove()]);
    },
  };
}

interface Scene {
  client: ClientName;
  call: Call;
  duration: Duration;
}

async function openClient(lab: Lab, client: ClientName): Promise<OpenClient> {
  const script = startClient(lab, client);
  await script.prints(/^ready.*$/m);
  const [line = ""] = /^ready.*$/m.exec(script.output()) ?? [];
  const named = line.split(" ").slice(1).map(Number);
  const processes = named.length > 0 ? named : [script.process.pid ?? 0];
  return { script, processes, memory: memoryOf(processes) };
}

/** What the client prints next. */
async function outcomeAfter(script: Client, before: number): Promise<ClientOutcome> {
  try {
    await script.prints(new RegExp(`^[^]{${before}}(?:.*\\n)*\\{"kind":.*\\n`));
    const [line = ""] = /^\{"kind":.*$/m.exec(script.output().slice(before)) ?? [];
    return JSON.parse(line) as ClientOutcome;
  } catch (error) {
    return { kind: "crash", output: String(error) };
  }
}

/** Resident bytes of processes, where the system tells them. */
function memoryOf(processes: number[]): number {
  let pages = 0;
  for (const id of processes) {
    try {
      pages += Number(readFileSync(`/proc/${id}/statm`, "latin1").split(" ")[1]);
    } catch {
      // It has ended, or this system tells nothing.
    }
  }
  return pages * 4096;
}

function sampleMemory(processes: number[]): { stop(): number } {
  let most = 0;
  const look = () => {
    most = Math.max(most, memoryOf(processes));
  };
  const timer = setInterval(look, 20);
  return {
    stop() {
      look();
      clearInterval(timer);
      return most;
    },
  };
}

interface Armed {
  /** Connections on which something faulty was answered. */
  sockets: Socket[];
  /** What was sent with the requests and must not be shown. */
  secrets: Set<string>;
}

function arm(lab: Lab, fault: AnswerFault, { call, duration }: Scene, elsewhere: string): Armed {
  const armed: Armed = { sockets: [], secrets: new Set([lab.token]) };
  let patches = 0;
  let headAsked = false;
  const faulted = (request: ProxiedRequest): ReturnType<Choose> => {
    if (duration === "passing" && armed.sockets.length > 0) return undefined;
    return {
      kind: "answer",
      delivered: fault.delivered ?? true,
      reply(socket, honest) {
        armed.sockets.push(socket);
        fault.reply(socket, { honest, call, request, lab, elsewhere });
      },
    };
  };
  const onApi = call === "request-upload" || call === "terminate";
  lab.api.choose = (request) =>
    onApi && /^(POST|DELETE)$/.test(request.method) ? faulted(request) : undefined;
  lab.upload.choose = (request) => {
    for (const secret of secretsIn(request.path)) armed.secrets.add(secret);
    if (request.method === "PATCH") patches++;
    headAsked ||= request.method === "HEAD";
    // A HEAD is asked only after something broke; a browser first sends what broke again by itself.
    if (call === "HEAD" && request.method === "PATCH" && !headAsked)
      return { kind: "reset", after: SMALL / 2 };
    if (call === "last PATCH")
      return patches > 1 && request.method === "PATCH" ? faulted(request) : undefined;
    return request.method === call ? faulted(request) : undefined;
  };
  return armed;
}

function disarm(lab: Lab): void {
  lab.api.choose = NO_FAULT;
  lab.upload.choose = NO_FAULT;
}

/** What is secret about the address of an upload. */
export function secretsIn(path: string): string[] {
  const token = new URLSearchParams(path.split("?")[1] ?? "").get("token");
  return [token ?? "", token === null ? (path.split("/").at(-1) ?? "") : ""].filter(
    ({ length }) => length > 8,
  );
}

/** A connection whose answer is of no use any more is closed, where the answer doesn't end by itself. */
/** What a host has ended itself, and what follows an answer to HEAD, a browser keeps for a while. */
async function stillOpen(sockets: Socket[], { client, call }: Scene): Promise<string | undefined> {
  const isKept = ({ destroyed, readableEnded, writableEnded }: Socket) =>
    !(destroyed || readableEnded) && !(client === "chromium" && (writableEnded || call === "HEAD"));
  for (const deadline = Date.now() + 5000; Date.now() < deadline; await delay(20))
    if (!sockets.some(isKept)) return undefined;
  return `${client} keeps a connection`;
}

async function judge(
  lab: Lab,
  { ends = {}, browserEnds = {} }: AnswerFault,
  { client, call, duration }: Scene,
  outcome: ClientOutcome,
): Promise<string | undefined> {
  if (outcome.kind === "hang" || outcome.kind === "crash")
    return `${outcome.kind}: ${outcome.output.slice(0, 1500)}`;
  const own = client === "chromium" ? browserEnds[call] : undefined;
  const wanted = own ?? ends[call] ?? (duration === "lasting" ? LASTING : PASSING)[call];
  const end: End = outcome.kind === "error" ? outcome.error.code : "whole";
  if (![wanted].flat().includes(end)) {
    const said = outcome.kind === "error" ? `: ${outcome.error.message}` : "";
    return `expected ${[wanted].flat().join(" or ")}, got ${end}${said}`;
  }
  if (outcome.kind === "whole") return await notWhole(lab, call, outcome.assetId, 1);
  if (call === "terminate" && end === "whole" && (await lab.service.streams())[0]?.live === true)
    return "the session goes on";
  const assets = await lab.service.assets();
  return assets.length > 1 ? `${assets.length} assets` : undefined;
}

async function judgeAgain(
  lab: Lab,
  { stays = false }: AnswerFault,
  call: Call,
  first: ClientOutcome,
  second: ClientOutcome,
): Promise<string | undefined> {
  if (second.kind === "hang" || second.kind === "crash")
    return `again ${second.kind}: ${second.output.slice(-1000)}`;
  if (second.kind === "done") return undefined;
  const resume = first.kind === "error" ? first.error.resume : undefined;
  if (second.kind === "error") {
    const explains = resume?.possible !== true && /new one|new upload/.test(second.error.message);
    return explains || stays ? undefined : `again ${second.error.code}: ${second.error.message}`;
  }
  if (resume?.possible === true && second.assetId !== resume.assetId) return "continued another asset";
  return await notWhole(lab, call, second.assetId, resume?.possible === true ? 1 : 2);
}

async function notWhole(lab: Lab, call: Call, id: string, most: number): Promise<string | undefined> {
  const stored = await lab.service.whole(id, 20_000).catch(() => undefined);
  if (stored === undefined) return "NOT WHOLE: the service has not all of it";
  if (stored.sha256 !== SHA256.get(sizeOf(call))) return "NOT WHOLE: another content at the service";
  const assets = await lab.service.assets();
  return assets.length > most ? `${assets.length} assets` : undefined;
}

function leakOf(secrets: Iterable<string>, outcome: ClientOutcome, printed: string): string | undefined {
  const shown = [printed, ...(outcome.kind === "error" ? outcome.shown : [])].join("\n").toLowerCase();
  for (const secret of secrets)
    for (const piece of piecesOf(secret)) if (shown.includes(piece)) return `it shows a secret: ${piece}`;
  return undefined;
}

function inWords(outcome: ClientOutcome): string {
  return outcome.kind === "error" ? outcome.error.code : outcome.kind;
}

/** An origin that counts who comes, and calls everything done. */
export interface Elsewhere {
  origin: string;
  connections: number;
  close(): void;
}

export async function openElsewhere(): Promise<Elsewhere> {
  const server = createServer((socket) => {
    elsewhere.connections++;
    socket.on("error", () => {});
    socket.end(`HTTP/1.1 200 OK\r\nupload-offset: ${LARGE}\r\nconnection: close\r\n\r\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => void server.close();
  const elsewhere: Elsewhere = { origin: `http://127.0.0.1:${port}`, connections: 0, close };
  return elsewhere;
}

/** The calls of a fault in a client. */
function callsOf(fault: AnswerFault, client: ClientName): readonly Call[] {
  if (client === "chromium" && fault.notInChromium !== undefined) return [];
  return fault.calls ?? CALLS;
}

/**
 * Where the video is, for a cell of a fault: in turn on disk and in memory, which are sent in different ways. A page
 * has no disk.
 */
function sourceOf(client: ClientName, turn: number): Source {
  return client === "chromium" || turn % 2 === 1 ? "memory" : "disk";
}

/** What a client came to: a line of the table. */
export function summaryOf(cells: readonly AnswerCell[]): string {
  const lines = [...new Set(cells.map(({ client }) => client))].map((client) => {
    const own = cells.filter((cell) => cell.client === client);
    const wrong = own.filter(({ problem }) => problem !== undefined);
    const slowest = own.reduce((most, cell) => (cell.milliseconds > most.milliseconds ? cell : most));
    const largest = own.reduce((most, cell) => (cell.growth > most.growth ? cell : most));
    const longest = `longest call ${(slowest.milliseconds / 1000).toFixed(1)} s (${nameOf(slowest)})`;
    const memory = `most memory ${Math.round(largest.growth / MiB)} MiB (${nameOf(largest)})`;
    return `${client}: ${own.length} cells, ${wrong.length} wrong; ${longest}; ${memory}`;
  });
  return lines.join("\n");
}

export function nameOf({ fault, call, source, duration }: AnswerCell): string {
  return `${fault}, ${call}, from ${source}, ${duration}`;
}

/** A row for each fault and how long it lasts, a column for each call: the ends that were met, by client where they differ. */
export function tableOf(cells: readonly AnswerCell[]): string {
  const rows = [...new Set(cells.map(({ fault, duration }) => `${fault}, ${duration}`))].map((row) => [
    row,
    ...CALLS.map((call) =>
      endsOf(cells.filter((c) => `${c.fault}, ${c.duration}` === row && c.call === call)),
    ),
  ]);
  const all = [["fault", ...CALLS], ...rows];
  const widths = all[0]?.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0))) ?? [];
  return all
    .map((row) =>
      row
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function endsOf(cells: readonly AnswerCell[]): string {
  const ends = new Map<string, Set<string>>();
  for (const { outcome, problem, client, source } of cells) {
    const end = `${problem === undefined ? "" : "WRONG "}${outcome}`;
    ends.set(end, (ends.get(end) ?? new Set()).add(client === "chromium" ? client : `${client} ${source}`));
  }
  if (ends.size <= 1) return [...ends.keys()][0] ?? "–";
  return [...ends].map(([end, clients]) => `${end} (${[...clients].join(", ")})`).join("; ");
}
