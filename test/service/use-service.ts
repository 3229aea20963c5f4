/** The local service in a process of its own, for the tests of a file or a group. */
import { afterAll, afterEach, beforeAll } from "vitest";
import { type SpawnedService, type SpawnOptions, spawnService } from "./spawned.ts";
import type { Switches } from "./switches.ts";

/**
 * Starts a service before the first test and stops it after the last one; after each test it forgets what it was sent
 * and how it was switched. Its properties are there once the first test begins.
 */
export function useService(switches: Partial<Switches> = {}, options: SpawnOptions = {}): SpawnedService {
  return useStarted(() => spawnService(switches, options));
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
