/** A browser with the built extension, for the tests of a file or a group. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, test as base, beforeAll } from "vitest";
import type { SpawnedService } from "../service/spawned.ts";
import { scratchFolder } from "../support/scratch.ts";
import { clearList, closePages, setUp } from "./actions.ts";
import { type Extension, installAnew, type LoadOptions, loadExtension } from "./extension.ts";
import { writeProfile } from "./granted.ts";

export interface UseOptions {
  /** What the person changes in the options besides address and token. */
  change?: (options: Page) => Promise<void>;
  /** Starts a browser of its own, and tells how: for what stays in a browser beyond the extension. */
  load?: () => Promise<Pick<LoadOptions, "folder" | "beside">>;
  /** What is undone after each test. @default the list is emptied and the pages are closed */
  cleanUp?: "list" | "pages" | "nothing";
}

const CLEAN_UPS = { list: clearList, pages: closePages, nothing: async () => {} };

/** The browser of all files that a worker runs, started by the first. */
// biome-ignore lint/correctness/noEmptyPattern: a fixture names what it needs by a pattern.
const test = base.extend("shared", { scope: "worker" }, async ({}, { onCleanup }) => {
  let started: Extension | undefined;
  onCleanup(() => started?.close());
  return {
    /** Gives it with the extension as after its install. */
    async take(): Promise<Extension> {
      if (started) await installAnew(started);
      else started = await startBrowser();
      return started;
    },
  };
});

/** Starts a browser of a person who was asked before, with the extension just installed. */
async function startBrowser(options: Pick<LoadOptions, "folder" | "beside"> = {}): Promise<Extension> {
  const profile = await scratchFolder("profile");
  await writeProfile(profile.path, options.folder);
  const extension = await loadExtension({ ...options, userDataDir: profile.path, firstRun: true });
  const { close } = extension;
  return {
    ...extension,
    async close() {
      await close();
      await profile.remove();
    },
  };
}

/**
 * Gives the first test a browser in which the extension was just installed. The properties are there once that begins.
 *
 * @param service that the extension is set up for, if it is
 */
export function useExtension(
  service: Pick<SpawnedService, "baseUrl" | "token"> | undefined,
  { change, load, cleanUp = "list" }: UseOptions = {},
): Extension {
  const extension = {} as Extension;
  if (load) {
    beforeAll(async () => void Object.assign(extension, await startBrowser(await load())));
    afterAll(() => extension.close?.());
  } else test.beforeAll(async ({ shared }) => void Object.assign(extension, await shared.take()));
  beforeAll(async () => {
    if (service) await setUp(extension, service, change);
  });
  afterEach(() => CLEAN_UPS[cleanUp](extension));
  return extension;
}
