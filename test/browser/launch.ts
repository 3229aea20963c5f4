/** A Chromium that a program drives, installed first where there is none. */
import { type BrowserContext, chromium } from "playwright-core";
import { scratchFolder } from "../support/scratch.ts";
import { type BrowserNeeds, findChromium, lacksShell } from "./find.ts";
import { installChromium, installShell } from "./install.ts";

export interface LaunchOptions extends BrowserNeeds {
  /** @default true, unless there is a display */
  headless?: boolean;
  /** The display that its windows are on. @default that of this program */
  display?: string;
  args?: string[];
  /** The language of its interface, and so of the extension. @default "en-US", whose texts the tests look for */
  language?: string;
  /** The profile to use and keep. @default a new one, which goes when the browser closes */
  userDataDir?: string;
}

const quiet = [
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
];

export interface Chromium {
  context: BrowserContext;
  /** Ends it, and removes the profile unless it was given. */
  close(): Promise<void>;
}

export async function launchChromium(options: LaunchOptions = {}): Promise<Chromium> {
  const { display, args = [], language = "en-US", userDataDir } = options;
  const headless = options.headless ?? display === undefined;
  const executablePath = await provideChromium(options);
  const profile = userDataDir === undefined ? await scratchFolder("profile") : undefined;
  try {
    const context = await chromium.launchPersistentContext(userDataDir ?? profile?.path ?? "", {
      executablePath,
      headless,
      // A browser for a person keeps its sandbox, which doesn't work for root nor in most containers.
      chromiumSandbox: !headless && process.getuid?.() !== 0,
      args: [...quiet, `--lang=${language}`, ...args],
      // What counts on some systems, in place of the argument.
      env: { ...process.env, LANGUAGE: language.replace("-", "_"), ...(display && { DISPLAY: display }) },
      viewport: null,
    });
    return {
      context,
      async close() {
        await context.close();
        await profile?.remove();
      },
    };
  } catch (error) {
    await profile?.remove();
    throw error;
  }
}

/** Provides the shell as well where that can be had: without it its tests run in the whole browser. */
export async function provideShell(): Promise<void> {
  await provideChromium({ pagesOnly: true });
  if (lacksShell()) await installShell();
}

/** The program of a browser, which is installed where there is none. */
export async function provideChromium(needs: BrowserNeeds = {}): Promise<string> {
  const found = findChromium(needs);
  if (found !== undefined) return found;
  await installChromium(needs);
  const installed = findChromium(needs);
  if (installed !== undefined) return installed;
  throw new Error(
    "Cannot start a browser: no Chromium was found, and none could be installed. Install Chromium, or set CHROMIUM_PATH to its program",
  );
}
