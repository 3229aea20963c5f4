/** What the world is asked after a life. */
import { ELSEWHERE } from "./hosts.ts";
import type { Call, Scene, Source } from "./life.ts";

/** Milliseconds in which a call that was aborted must have ended, and any call. */
const [LONGEST_END, LONGEST_CALL] = [12_000, 6 * 3_600_000];

export function checkEnd(scene: Scene) {
  for (const call of scene.calls) {
    checkResult(scene, call);
    checkError(scene, call);
    checkTime(scene, call);
    checkTold(scene, call);
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

/** Events after which a lease may seem to have ended, and those after which a journal may lack a note. */
const [UNSURE_LEASES, UNSURE_NOTES] = [/journal|clock|power|slept|stopped|days/, /journal/];

/** An error says what is so. */
function checkError({ world, hosts, calls, kills }: Scene, { error, name, beganAt }: Call) {
  if (!(error instanceof Error)) return;
  const { httpStatus, resume } = error as { httpStatus?: number; resume?: { assetId: string } };
  const hasMet = (events: RegExp) => [...world.met].some((kind) => events.test(kind));
  const asset = hosts.assets.find(({ id }) => id === resume?.assetId);
  const isRemembered = calls.some(({ result }) => result?.remembered && result.asset.id === asset?.id);
  const isKnown = isRemembered || !hasMet(UNSURE_NOTES);
  if (httpStatus === 422 && kills === 0 && (asset?.wholeAt ?? beganAt) < beganAt && isKnown)
    world.accuse(`${name} calls an asset lost, and it is whole`);
  if (/took over/.test(error.message) && !hasMet(UNSURE_LEASES))
    world.accuse(`${name} says that it stood still, and it didn't`);
  if (/is damaged/.test(error.message)) world.accuse(`${name} found half an entry`);
}

function checkTime({ world, stoodStill }: Scene, { name, beganAt, abortedAt, endedAt }: Call) {
  if (endedAt === undefined) return;
  if (endedAt - (abortedAt ?? endedAt) > LONGEST_END + stoodStill)
    world.accuse(`${name} went on for long after it was aborted`);
  if (endedAt - beganAt > LONGEST_CALL + stoodStill) world.accuse(`${name} took longer than any call may`);
}

/** With `once`, a source has one asset, unless a call said that there may be another. */
function checkAssets({ world, hosts, calls, plan, kills }: Scene, source: Source) {
  const made = hosts.assets.filter(({ name }) => name === source.name);
  const own = calls.filter((call) => call.source === source);
  let allowed = source.versions.length + (plan.once ? 0 : kills);
  for (const { resume, result, error } of own)
    if (!resume || result?.remembered === false || mayLeaveAnother(error) || (!plan.once && result))
      allowed++;
  const killed = own.filter(({ process, endedAt }) => process.isDead && endedAt === undefined);
  // The next call tells what the first one that was killed had asked for; one that is killed on the way to tell something
  // may have noted already that it did. What is in memory goes with its process.
  const isNoted = !killed.some(({ askedInVain }) => askedInVain);
  allowed += Math.max(0, killed.length - (isNoted ? 1 : 0));
  if (plan.journal === "memory") allowed += own.filter(({ process }) => process.isDead).length;
  if (made.length > allowed)
    world.accuse(`${source.name} has ${made.length} assets, and the calls explain ${allowed}`);
}

/** True if an error says that an asset may exist which no call goes on with. */
function mayLeaveAnother(error: unknown): boolean {
  const { code, resume } = (error ?? {}) as { code?: string; resume?: { possible: boolean } };
  if (resume !== undefined) return !resume.possible;
  return /^(asset-unknown|service-error|unexpected-answer)$/.test(`${code}`);
}

function checkTold(scene: Scene, { shown, result, error }: Call) {
  for (const text of [...shown, JSON.stringify(result) ?? "", ...textsOf(error)]) checkText(scene, text);
}

function textsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  return [error.message, error.stack ?? "", JSON.stringify(error), ...textsOf(error.cause)];
}

/** No secret is in anything that is told. */
function checkText({ world, hosts }: Scene, text: string) {
  if ([...hosts.secrets, `${ELSEWHERE}/`].some((secret) => text.includes(secret)))
    world.accuse(`a secret was told: ${text.slice(0, 200)}`);
}
