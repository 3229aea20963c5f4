/** What tests of the built extension share: a service, and a browser with the extension set up for it. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { scratchFolder } from "../scratch.ts";
import { type SpawnedService, spawnService } from "../service/spawned.ts";
import { type Extension, loadExtension } from "./extension.ts";
import { makeProfile } from "./granted.ts";
import { clearList, setUp } from "./person.ts";

export interface UseOptions {
  /** What the person allowed once before. @default nothing */
  allowed?: chrome.permissions.Permissions;
  /** What the person changes in the options besides address and token. */
  change?: (options: Page) => Promise<void>;
}

/** A service for the tests of a file or group; after each it forgets what it was sent and how it was switched. */
export function useService(spawn: () => Promise<SpawnedService> = spawnService): SpawnedService {
  const service = {} as SpawnedService;
  beforeAll(async () => {
    Object.assign(service, await spawn());
  });
  afterEach(() => service.reset());
  afterAll(() => service.stop?.());
  return service;
}

/** A browser with the extension for the tests of a file or group; after each its list is emptied, its pages closed. */
export function useExtension(
  service: Pick<SpawnedService, "baseUrl" | "token">,
  { allowed, change }: UseOptions = {},
): Extension {
  const extension = {} as Extension;
  let profile: Awaited<ReturnType<typeof scratchFolder>> | undefined;
  beforeAll(async () => {
    profile = await scratchFolder("profile");
    if (allowed) await makeProfile(profile.path, allowed);
    Object.assign(extension, await loadExtension({ userDataDir: profile.path, firstRun: true }));
    await setUp(extension, service, change);
  });
  afterEach(() => clearList(extension));
  afterAll(async () => {
    await extension.close?.();
    await profile?.remove();
  });
  return extension;
}
