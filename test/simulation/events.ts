/** What happens meanwhile, by its name: to the line, the hosts, processes, machines, journals, and the people. */
import { TROUBLES } from "./disk.ts";
import type { Scene } from "./life.ts";
import { LINE_FAULTS } from "./network.ts";
import type { Process } from "./process.ts";
import { Content } from "./source.ts";

const DAY = 86_400_000;

/** Lets an event happen, and tells whether it could. `size` is from 0 to 1: how long it lasts, how much, or to whom. */
type Happening = (scene: Scene, size: number, process: Process | undefined) => boolean;

/** Milliseconds from a second to five minutes. */
const lasting = (size: number) => 1_000 * 300 ** size;

const eventsOf = <Name extends string>(names: readonly Name[], happeningOf: (name: Name) => Happening) =>
  Object.fromEntries(names.map((name) => [name, happeningOf(name)]));

export const EVENTS: Readonly<Record<string, Happening>> = {
  ...eventsOf(LINE_FAULTS, (kind) => ({ network }, size) => {
    const about = size < 0.2 ? "account" : size < 0.4 ? "upload" : "body";
    network.due.push({ kind, about, times: 1 + (Math.floor(size * 97) % 3) });
    return false;
  }),
  ...eventsOf(["asked too often", "service failed", "service failed after it"], (kind) => ({ hosts }) => {
    hosts.refusals.push(kind);
    return false;
  }),
  "store away"({ hosts, world }, size) {
    hosts.isAway = true;
    world.after(lasting(size) / 3, () => {
      hosts.isAway = false;
    });
    return true;
  },
  "joining fails"({ hosts }, size) {
    hosts.joinsThatFail = 1 + Math.floor(size * 2);
    hosts.joinsMissed = Math.floor(size * 97) % 2;
    return true;
  },
  "part lost"({ hosts }) {
    hosts.partsLost = 1;
    return true;
  },
  "replicas late"({ hosts }, size) {
    hosts.staleFor = 1 + 900 * size;
    return true;
  },
  killed: (scene, _, process) => process !== undefined && scene.kill(process),
  stopped: (_, size, process) => process?.stop(lasting(size)) === true,
  "machine slept": ({ machines }, size, process) => (process?.machine ?? machines[0]).sleep(lasting(size)),
  "days passed"({ machines, hosts, world }, size) {
    const milliseconds = (1 + 2 * size) * DAY;
    world.after(milliseconds * 0.9, () => hosts.sweep());
    return machines.filter((machine) => machine.sleep(milliseconds)).length > 0;
  },
  "power cut"(scene, _, process) {
    const machine = process?.machine ?? scene.machines[0];
    for (const each of machine.processes) scene.kill(each);
    if (machine === scene.machines[0]) scene.disk.cutPower();
    return true;
  },
  "clock set"({ machines, network, world }, size, process) {
    const machine = process?.machine ?? machines[0];
    const step = (size < 0.5 ? -1 : 1) * 10_000 * 10 ** (3.9 * ((size * 2) % 1));
    world.tell(`the clock of machine ${machine.name} is set by ${Math.round(step)} ms`);
    machine.ahead += step;
    network.tolerance = 2_500;
    return true;
  },
  ...eventsOf(TROUBLES, (trouble) => ({ kept, world }, size) => {
    if (kept === undefined) return false;
    kept.trouble = trouble;
    world.after(lasting(size) / 5, () => {
      kept.trouble = undefined;
    });
    return true;
  }),
  aborted: (scene, size) => scene.callAt(size)?.abort() === true,
  "aborted and called again"(scene, size) {
    const call = scene.callAt(size);
    call?.abort();
    if (call !== undefined) void scene.call(call.process, call.source);
    return call !== undefined;
  },
  "called again at once"(scene, size) {
    const call = scene.callAt(size);
    if (call !== undefined) void scene.call(call.process, call.source);
    return call !== undefined;
  },
  discarded(scene, size) {
    const call = scene.callAt(size);
    call?.abort();
    if (call !== undefined) void scene.call(call.process, call.source, "discards");
    return call !== undefined;
  },
  "file changed"({ sources, calls, plan }, size) {
    const source = sources[Math.floor(size * sources.length)];
    if (source === undefined) return false;
    const content = new Content(plan.seed + 2 + source.versions.length, source.content.size);
    source.versions.push(content);
    source.content = content;
    source.date += 10;
    for (const call of calls)
      if (call.source === source && call.endedAt === undefined) call.versions.push(content);
    return true;
  },
};
