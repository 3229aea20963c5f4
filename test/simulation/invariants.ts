/** What the world is asked after a life. */
import { ELSEWHERE } from "./hosts.ts";
import type { Call, Scene, Source } from "./life.ts";

/** What a call told its caller. */
export interface Told {
  result: Awaited<ReturnType<typeof import("../../core/upload.ts").upload>> | undefined;
  error: unknown;
  /** All that was reported meanwhile. */
  shown: string[];
}

/** Milliseconds in which a call that was aborted must have ended. */
const LONGEST_END = 12_000;
/** Milliseconds in which each call must have ended: attempts, waits and what its timers allow. */
const LONGEST_CALL = 6 * 3_600_000;

export function checkEnd(scene: Scene): void {
  for (const call of scene.calls) checkCall(scene, call);
  for (const source of scene.sources) checkAssets(scene, source);
}

/** Whatever is called whole is stored whole, and each call ends in time. */
function checkCall(scene: Scene, call: Call): void {
  const { world, hosts, stoodStill } = scene;
  const { told, name, abortedAt, beganAt, endedAt } = call;
  const result = told?.result;
  if (result !== undefined) {
    const asset = hosts.assets.find(({ id }) => id === result.asset.id);
    const whole = asset && hosts.wholeOf(asset);
    const versions = result.uploadedBefore ? call.source.versions : call.versions;
    if (asset?.name !== call.source.name) world.accuse(`${name} was given the asset of another source`);
    else if (whole === undefined) world.accuse(`${name} calls ${asset.id} whole, and it isn't`);
    else if (!versions.includes(whole))
      world.accuse(`${name} calls ${asset.id} whole, which holds another content`);
  }
  if (endedAt === undefined) return;
  checkError(scene, call);
  if (abortedAt !== undefined && endedAt - abortedAt > LONGEST_END + stoodStill)
    world.accuse(`${name} ended ${Math.round(endedAt - abortedAt)} ms after it was aborted`);
  if (endedAt - beganAt > LONGEST_CALL + stoodStill) world.accuse(`${name} took longer than any call may`);
}

/** An error says what is so. */
function checkError({ world, hosts, kills, stoodStill }: Scene, call: Call): void {
  const { told, name, isDisturbed } = call;
  if (!(told?.error instanceof Error)) return;
  const { httpStatus, message, resume } = told.error as Error & {
    httpStatus?: number;
    resume?: { assetId: string };
  };
  const asset = hosts.assets.find(({ id }) => id === resume?.assetId);
  if (httpStatus === 422 && kills === 0 && (asset?.wholeAt ?? world.now) < call.beganAt)
    world.accuse(`${name} calls ${asset?.id} lost, and it is whole`);
  if (/took over/.test(message) && stoodStill === 0 && !isDisturbed)
    world.accuse(`${name} says that it stood still, and it didn't`);
  if (/is damaged/.test(message)) world.accuse(`${name} found half an entry`);
}

/** With `once`, a source has one asset, unless a call said that there may be another. */
function checkAssets({ world, hosts, calls, plan, kills, discards }: Scene, source: Source): void {
  const made = hosts.assetsOf(source.name);
  const own = calls.filter((call) => call.source === source);
  let allowed = source.versions.length;
  for (const { told, resume, process } of own) {
    if (!resume) allowed++;
    // What is in memory goes with its process.
    if (plan.journal === "memory" && process.isDead) allowed++;
    if (told?.result?.remembered === false) allowed++;
    if (told?.error !== undefined && mayLeaveAnother(told.error)) allowed++;
    if (!plan.once && told?.result !== undefined) allowed++;
  }
  if (!plan.once) allowed += kills;
  allowed += discards;
  if (made.length > allowed)
    world.accuse(`${source.name} has ${made.length} assets, and the calls explain ${allowed}`);
}

/** True if an error says that an asset may exist which no call goes on with. */
function mayLeaveAnother(error: unknown): boolean {
  const { code, resume } = error as { code?: string; resume?: { possible: boolean } };
  if (resume?.possible === false) return true;
  return ["asset-unknown", "service-error", "unexpected-answer", "journal-failed"].includes(`${code}`);
}

/** No secret is in anything that was told, or in the names of what is stored. */
export function checkTold({ world, hosts, calls, disk, redis }: Scene): void {
  const texts = calls.flatMap(({ told }) => {
    const { error, shown = [], result } = told ?? {};
    return [...shown, JSON.stringify(result) ?? "", ...textsOf(error)];
  });
  for (const text of [...texts, ...disk.names(), ...redis.names()]) {
    const secret = hosts.secrets.find((each) => text.includes(each));
    if (secret !== undefined) world.accuse(`a secret was told: ${text.slice(0, 200)}`);
    if (text.includes(`${ELSEWHERE}/`)) world.accuse("the address of a redirect was told");
  }
}

function textsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  return [error.message, error.stack ?? "", JSON.stringify(error), ...textsOf(error.cause)];
}
