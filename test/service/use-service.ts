/** The local service in a process of its own, for the tests of a file or a group. */
import { afterAll, afterEach, test as base, beforeAll } from "vitest";
import { type SpawnedService, type SpawnOptions, spawnService } from "./spawned.ts";
import type { Switches } from "./switches.ts";

/** Services of a worker that none of its files uses now: each that starts costs half a second of the processor. */
// biome-ignore lint/correctness/noEmptyPattern: a fixture names what it needs by a pattern.
const test = base.extend("idle", { scope: "worker" }, async ({}, { onCleanup }) => {
  const idle: SpawnedService[] = [];
  onCleanup(async () => void (await Promise.all(idle.map((service) => service.stop()))));
  return idle;
});

/**
 * Gives the first test a service that was sent nothing yet; after each test it forgets what it was sent and how it was
 * switched. Its properties are there once the first test begins.
 */
export function useService(switches: Partial<Switches> = {}, options?: SpawnOptions): SpawnedService {
  if (options !== undefined) return useStarted(() => spawnService(switches, options));
  const service = {} as SpawnedService;
  test.beforeAll(async ({ idle }) => {
    const kept = idle.pop();
    await kept?.reset(switches);
    Object.assign(service, kept ?? (await spawnService(switches)));
  });
  afterEach(() => service.reset?.());
  test.afterAll(({ idle }) => {
    if ("stop" in service) idle.push({ ...service });
  });
  return service;
}

/** The same for a service that is started in another way. */
export function useStarted(start: () => Promise<SpawnedService>): SpawnedService {
  const service = {} as SpawnedService;
  beforeAll(async () => {
    Object.assign(service, await start());
  });
  afterEach(() => service.reset?.());
  afterAll(() => service.stop?.());
  return service;
}
