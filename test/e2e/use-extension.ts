/** A browser with the built extension, for the tests of a file or a group. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { scratchFolder } from "../scratch.ts";
import type { SpawnedService } from "../service/spawned.ts";
import { clearList, closePages, setUp } from "./actions.ts";
import { type Extension, type LoadOptions, loadExtension } from "./extension.ts";
import { makeProfile } from "./granted.ts";

export interface UseOptions {
  /** What the person allowed once before. @default nothing */
  allowed?: chrome.permissions.Permissions;
  /** What the person changes in the options besides address and token. */
  change?: (options: Page) => Promise<void>;
  /** How the browser is started besides. */
  load?: () => Promise<Pick<LoadOptions, "folder" | "beside">>;
  /** What is undone after each test. @default the list is emptied and the pages are closed */
  cleanUp?: "list" | "pages" | "nothing";
}

const CLEAN_UPS = { list: clearList, pages: closePages, nothing: async () => {} };

/**
 * Starts the browser before the first test and closes it after the last one. The properties are there once the first
 * test begins.
 *
 * @param service that the extension is set up for, if it is
 */
export function useExtension(
  service: Pick<SpawnedService, "baseUrl" | "token"> | undefined,
  { allowed, change, load, cleanUp = "list" }: UseOptions = {},
): Extension {
  const extension = {} as Extension;
  let profile: Awaited<ReturnType<typeof scratchFolder>> | undefined;
  beforeAll(async () => {
    profile = await scratchFolder("profile");
    if (allowed) await makeProfile(profile.path, allowed);
    const start = { userDataDir: profile.path, firstRun: true };
    Object.assign(extension, await loadExtension({ ...(await load?.()), ...start }));
    if (service) await setUp(extension, service, change);
  });
  afterEach(() => CLEAN_UPS[cleanUp](extension));
  afterAll(async () => {
    await extension.close?.();
    await profile?.remove();
  });
  return extension;
}
