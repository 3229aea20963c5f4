/** A cell of the matrix: one fault, one client, one method; what came of it is judged the same way everywhere. */
import { join } from "node:path";
import type { ErrorCode } from "../../core/mod.ts";
import type { StoreName } from "../service/stores.ts";
import { contentHash, MiB, writeContent } from "../support/content.ts";
import { MARKER } from "../support/marker.ts";
import { scratchFolder } from "../support/scratch.ts";
import {
  type Client,
  type ClientName,
  type Lab,
  openLab,
  outcomeOf,
  startClient,
  videoFolder,
} from "./lab.ts";
import type { ClientOutcome, ClientPlan } from "./plan.ts";
import { NO_FAULT } from "./proxy.ts";

export type Method = ClientPlan["method"];
/** What a cell may end in: whole, or an error with one of these codes. */
export type Expected = "whole" | ErrorCode;

export interface FaultCase {
  name: string;
  /** @default both */
  methods?: readonly Method[];
  expected: Expected | Record<Method, Expected>;
  /** What Chromium ends in, where that is something else. */
  inChromium?: Expected | Record<Method, Expected>;
  /** What it ends in at other stores, where that is something else. */
  atStore?: Partial<Record<StoreName, Expected>>;
  /** Why there is no such fault in Chromium. */
  notInChromium?: string;
  /** Where the fault is armed before the client starts. */
  arm?(lab: Lab, scene: Scene): unknown;
  /** What the client is given, beside file, method and journal. */
  plan?(scene: Scene): Partial<ClientPlan>;
  /** What the client is started through. */
  through?: readonly string[];
  /** Nothing was asked of the service before the error. */
  untouched?: boolean;
  /** What a person does about the error before the second call. */
  repair?(scene: Scene): Promise<unknown>;
  /** What happens while it uploads. */
  during?(lab: Lab, script: Client, scene: Scene): Promise<unknown>;
  /** The second call may make a second asset: only where the first one can't be known or found any more. */
  secondAsset?: boolean;
  /** The asset is known to nobody any more. */
  unnamed?: boolean;
  /** The second call meets a source that is another, or is whole already: what comes of it is another matter. */
  sourceLost?: boolean;
}

export interface Scene {
  client: ClientName;
  method: Method;
  store: StoreName;
  /** The request that carries the body. */
  verb: "PATCH" | "PUT";
  path: string;
  journal: string;
  /** What comes of another process that uploads the same file. */
  other?: Promise<ClientOutcome>;
}

export interface Cell {
  outcome: string;
  problem: string | undefined;
}

export const SIZE: number = 20 * MiB + 5;
const SHA256 = contentHash(SIZE);
/** Quick enough for a test, patient enough for a busy machine; a real store has the time to settle that it needs. */
const optionsFor = (store: StoreName): NonNullable<ClientPlan["options"]> => ({
  retry: { attempts: 20, minDelay: 20, maxDelay: 500 },
  timeout: { stall: 1500, answer: 2000, ...(store === "files" && { settle: 100 }) },
});

/** The cells of some faults in one client, at one store. */
export function cellsOf(
  faults: readonly FaultCase[],
  client: ClientName,
  store: StoreName = "files",
): [FaultCase, Method][] {
  const possible = faults.filter(({ notInChromium }) => client !== "chromium" || notInChromium === undefined);
  const cells = possible.flatMap((fault) =>
    (fault.methods ?? ["resumable", "direct"]).map((method): [FaultCase, Method] => [fault, method]),
  );
  // A direct upload never reaches such a store.
  return cells.filter(([, method]) => store === "files" || method === "resumable");
}

/** A lab for the cells of one client at one store; calls to a real one take their time. */
export function openMatrixLab(client: ClientName, store: StoreName): Promise<Lab> {
  return openLab(store === "files" ? { parts: true } : { storeLatency: [5, 45] }, { client, store });
}

export async function runCell(
  lab: Lab,
  fault: FaultCase,
  client: ClientName,
  method: Method,
  store: StoreName = "files",
): Promise<Cell> {
  const [folder, journals] = await Promise.all([videoFolder(), scratchFolder("journal")]);
  const path = join(folder.path, "video.mp4");
  await writeContent(path, SIZE);
  const verb = method === "direct" ? "PUT" : "PATCH";
  const scene: Scene = { client, method, store, verb, path, journal: join(journals.path, "journal") };
  try {
    await fault.arm?.(lab, scene);
    const { path: onDisk, ...base } = basePlan(scene);
    const changed = fault.plan?.(scene) ?? {};
    const plan = { ...base, ...(changed.stream === undefined && { path: onDisk }), ...changed };
    const armed = [lab.api, lab.upload].filter(({ choose }) => choose !== NO_FAULT);
    const script = startClient(lab, client, plan, "client.ts", fault.through);
    const during = fault.during?.(lab, script, scene).catch((error: unknown) => String(error));
    const first = await outcomeOf(script);
    const trouble = await during;
    const told = [first];
    let problem = await judge(lab, fault, scene, first);
    if (typeof trouble === "string" && first.kind !== "whole") problem ??= trouble.slice(0, 200);
    if (armed.some(({ faults }) => faults === 0)) problem ??= "the fault never happened";
    if (script.output().includes(MARKER)) problem ??= "it shows a secret";
    if (first.kind === "error") {
      await fault.repair?.(scene);
      const second = await callAgain(lab, scene, plan);
      told.push(second);
      problem ??= await judgeAgain(lab, fault, first, second);
    }
    return { outcome: told.map(inWords).join(", then "), problem };
  } finally {
    await lab.reset();
    await Promise.all([folder.remove(), journals.remove()]);
  }
}

function basePlan({ method, path, journal, store }: Scene): ClientPlan {
  return { method, path, journal, options: optionsFor(store) };
}

async function callAgain(lab: Lab, scene: Scene, plan: ClientPlan): Promise<ClientOutcome> {
  lab.api.clear();
  lab.upload.clear();
  await lab.service.set({ answerStatus: [], dropAnswer: [], throttle: 0 });
  const { fullAfter: _, largestFile: __, ...again } = { ...plan, journal: scene.journal };
  return await outcomeOf(startClient(lab, scene.client, { ...again, options: optionsFor(scene.store) }));
}

async function judge(
  lab: Lab,
  fault: FaultCase,
  { client, method, store }: Scene,
  outcome: ClientOutcome,
): Promise<string | undefined> {
  const { inChromium, atStore, unnamed = false, untouched = false } = fault;
  const expected = atStore?.[store] ?? (client === "chromium" ? inChromium : undefined) ?? fault.expected;
  const wanted = typeof expected === "string" ? expected : expected[method];
  if (outcome.kind === "hang" || outcome.kind === "crash") return `${outcome.kind}: ${outcome.output}`;
  if (outcome.kind === "whole")
    return wanted === "whole" ? await notWhole(lab, outcome.assetId, 1) : `expected ${wanted}`;
  if (outcome.kind !== "error") return "no outcome";
  const { error } = outcome;
  if (error.code !== wanted) return `expected ${wanted}: ${error.message}`;
  const assets = await lab.service.assets();
  if (assets.length > 1) return `${assets.length} assets`;
  if (untouched && (await lab.service.requests()).length > 0) return "something was asked of the service";
  const [stored] = assets;
  const unknown = error.code === "asset-unknown" || error.code === "in-progress";
  if (stored !== undefined && !unknown && !unnamed && error.resume?.assetId !== stored.asset.id)
    return "the error doesn't name the asset";
  return undefined;
}

async function judgeAgain(
  lab: Lab,
  { secondAsset = false, sourceLost = false }: FaultCase,
  first: ClientOutcome,
  second: ClientOutcome,
): Promise<string | undefined> {
  if (second.kind === "hang" || second.kind === "crash") return `again ${second.kind}: ${second.output}`;
  if (sourceLost) return undefined;
  const resume = first.kind === "error" ? first.error.resume : undefined;
  if (second.kind === "error") {
    const explains =
      resume?.possible !== true && /new one|new upload|aside|account/.test(second.error.message);
    return explains ? undefined : `again ${second.error.code}: ${second.error.message}`;
  }
  if (second.kind !== "whole") return "no outcome";
  const one = resume?.possible === true || resume === undefined;
  if (resume?.possible === true && second.assetId !== resume.assetId) return "continued another asset";
  return await notWhole(lab, second.assetId, secondAsset || !one ? 2 : 1);
}

async function notWhole(lab: Lab, id: string, most: number): Promise<string | undefined> {
  const stored = await lab.service.whole(id, 60_000).catch(() => undefined);
  if (stored === undefined) return "NOT WHOLE: the service has not all of it";
  if (stored.sha256 !== SHA256) return "NOT WHOLE: another content at the service";
  const assets = await lab.service.assets();
  if (assets.length > most) return `${assets.length} assets`;
  const requests = await lab.service.requests("POST", "request-upload");
  if (requests.filter(({ status }) => status === 200).length > most) return "more than one request-upload";
  return undefined;
}

function inWords(outcome: ClientOutcome): string {
  if (outcome.kind === "error") return outcome.error.code;
  return outcome.kind === "whole" && outcome.resumed ? "continued whole" : outcome.kind;
}
