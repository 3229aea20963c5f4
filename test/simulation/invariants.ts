/** What the world is asked after a life. */
import { inspect } from "node:util";
import { type Asset, ELSEWHERE } from "./hosts.ts";
import type { Call, Scene, Source } from "./life.ts";

/** Milliseconds in which a call that was aborted must have ended, and any call. */
const [LONGEST_END, LONGEST_CALL] = [12_000, 7_200_000];
/** Events after which a lease may seem to have ended, and those after which a journal may lack a note. */
const [UNSURE_LEASES, UNSURE_NOTES] = [/journal|clock|power|slept|stopped|days/, /journal/];
/** Codes of a request that may have made an asset. */
const MAY_HAVE_MADE = /^(asset-unknown|service-error|unexpected-answer)$/;

interface Failure {
  code?: string;
  httpStatus?: number;
  resume?: { assetId: string; possible: boolean };
}

export function checkEnd(scene: Scene) {
  for (const call of scene.calls) {
    checkResult(scene, call);
    checkError(scene, call);
    checkTime(scene, call);
    for (const text of [...call.shown, JSON.stringify(call.result) ?? "", ...textsOf(call.error)])
      checkText(scene, text);
  }
  for (const source of scene.sources) checkAssets(scene, source);
  for (const name of [...scene.disk.names.keys(), ...scene.shared.names.keys()]) checkText(scene, name);
}

/** Whatever is called whole is stored whole. */
function checkResult({ world, hosts }: Scene, { result, name, source, versions }: Call) {
  if (result === undefined) return;
  const asset = hosts.assets.find(({ id }) => id === result.asset.id);
  const whole = asset && hosts.wholeOf(asset);
  if (asset?.name !== source.name) world.accuse(`${name} was given the asset of another source`);
  else if (whole === undefined) world.accuse(`${name} calls ${asset.id} whole, and it isn't`);
  else if (!(result.uploadedBefore ? source.versions : versions).includes(whole))
    world.accuse(`${name} calls ${asset.id} whole, which holds another content`);
}

/** An error says what is so. */
function checkError({ world, hosts, calls }: Scene, { error, name, beganAt }: Call) {
  if (!(error instanceof Error)) return;
  const { httpStatus, resume } = error as Failure;
  const hasMet = (events: RegExp) => [...world.met].some((kind) => events.test(kind));
  const asset = hosts.assets.find(({ id }) => id === resume?.assetId);
  const isRemembered = calls.some(({ result }) => result?.remembered && result.asset.id === asset?.id);
  const isKnown = isRemembered || !(hasMet(UNSURE_NOTES) || calls.some(isKilled));
  if (httpStatus === 422 && (asset?.wholeAt ?? beganAt) < beganAt && isKnown)
    world.accuse(`${name} calls an asset lost, and it is whole`);
  if (/took over/.test(error.message) && !hasMet(UNSURE_LEASES))
    world.accuse(`${name} says that it stood still, and it didn't`);
  if (/is damaged/.test(error.message)) world.accuse(`${name} found half an entry`);
}

function checkTime({ world }: Scene, { name, process, beganAt, abortedAt, endedAt, result }: Call) {
  if (endedAt === undefined) return;
  const { duration = 0 } = result ?? {};
  if (duration < 0 || duration > endedAt - beganAt + 1)
    world.accuse(`${name} says that it took ${duration} ms, and it took ${endedAt - beganAt} ms`);
  if (endedAt - (abortedAt ?? endedAt) > LONGEST_END + process.stoodStill)
    world.accuse(`${name} went on for long after it was aborted`);
  if (endedAt - beganAt > LONGEST_CALL + process.stoodStill)
    world.accuse(`${name} took longer than any call may`);
}

/** What is in memory goes with its process; all others have one journal. Nobody remembers a stream. */
function checkAssets(scene: Scene, source: Source) {
  if (scene.plan.isStream) return;
  const calls = scene.calls.filter((call) => call.source === source);
  const made = scene.hosts.assets.filter(({ name }) => name === source.name);
  const processes = new Set(
    scene.plan.journal === "memory" ? calls.map(({ process }) => process) : [undefined],
  );
  for (const own of processes) {
    const isOwn = ({ process }: Pick<Call, "process">) => own === undefined || process === own;
    checkOnce(
      scene,
      source,
      calls.filter(isOwn),
      made.filter(({ madeFor }) => isOwn(madeFor)),
    );
  }
}

/** A source has one asset, unless a call said that it can't be resumed, or that there may be another. */
function checkOnce({ world, plan }: Scene, source: Source, calls: readonly Call[], made: readonly Asset[]) {
  const isGivenUp = ({ id, madeAt, wholeAt }: Asset) =>
    (!plan.once && wholeAt !== undefined) ||
    calls.some(({ resumes, result, error, beganAt, endedAt = beganAt }) => {
      const { resume } = (error ?? {}) as Failure;
      if (resume?.assetId === id) return !resume.possible;
      if (result?.asset.id === id) return !plan.once || result.remembered === false;
      return !resumes && madeAt < endedAt;
    });
  const left = made.filter((asset) => !isGivenUp(asset));
  const saysSo = ({ error, askedInVain }: Call) => {
    const { code = "" } = (error ?? {}) as Failure;
    return MAY_HAVE_MADE.test(code) && (askedInVain || code === "asset-unknown");
  };
  // Who is killed on the way to tell what an earlier call had asked for may have noted already that it did.
  const isUnheard = (call: Call) =>
    isKilled(call) && (call.askedInVain || made.every(({ madeFor }) => madeFor !== call));
  const explained = calls.filter((call) => saysSo(call) || isUnheard(call)).length;
  if (left.length > source.versions.length + explained)
    world.accuse(
      `${source.name} has ${left.length} assets that nobody gave up, and the calls explain ${explained}`,
    );
}

function isKilled({ process, endedAt }: Call): boolean {
  return process.isDead && endedAt === undefined;
}

function textsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  return [`${error.stack}`, JSON.stringify(error), inspect(error, { depth: 9, showHidden: true })];
}

/** No secret is in anything that is told. */
function checkText({ world, hosts }: Scene, text: string) {
  if ([...hosts.secrets, `${ELSEWHERE}/`].some((secret) => text.includes(secret)))
    world.accuse(`a secret was told: ${text.slice(0, 200)}`);
}
