/** A Firefox that a program drives, with the built extension. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findFirefox } from "./install.ts";
import { type Marionette, openMarionette } from "./marionette.ts";

export type Firefox = ReturnType<typeof control>;

/** Milliseconds for a browser to begin, on a busy machine. */
const START_TIMEOUT = 120_000;

const PREFERENCES = {
  // A free one, which it writes into the profile.
  "marionette.port": 0,
  // Extensions that were just built have no signature.
  "xpinstall.signatures.required": false,
  "browser.startup.homepage_override.mstone": "ignore",
  "datareporting.policy.dataSubmissionEnabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.aboutwelcome.enabled": false,
};

/** Starts it without a display, on a profile that stays. */
export async function startFirefox(profile: string, preferences: object = {}): Promise<Firefox> {
  const { path, libraries } = await findFirefox();
  const lines = Object.entries({ ...PREFERENCES, ...preferences }).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  await writeFile(join(profile, "user.js"), lines.join("\n"));
  const portFile = join(profile, "MarionetteActivePort");
  await rm(portFile, { force: true });
  const browser = spawn(
    path,
    ["--headless", "--no-remote", "--profile", profile, "--marionette", "--remote-allow-system-access"],
    {
      stdio: "ignore",
      env: { ...process.env, LD_LIBRARY_PATH: libraries, MOZ_CRASHREPORTER_DISABLE: "1", LANG: "C.UTF-8" },
    },
  );
  try {
    const marionette = await connect(portFile, browser);
    await marionette.send("WebDriver:NewSession");
    await marionette.send("WebDriver:SetTimeouts", { script: 120_000, pageLoad: 60_000 });
    return control(browser, marionette);
  } catch (error) {
    browser.kill("SIGKILL");
    throw error;
  }
}

async function connect(portFile: string, browser: ChildProcess): Promise<Marionette> {
  for (const deadline = Date.now() + START_TIMEOUT; Date.now() < deadline; await delay(100)) {
    if (browser.exitCode !== null) throw new Error(`Firefox ended with ${browser.exitCode}`);
    const port = Number(await readFile(portFile, "utf8").catch(() => ""));
    const marionette = port > 0 ? await openMarionette(port).catch(() => undefined) : undefined;
    if (marionette !== undefined) return marionette;
  }
  throw new Error("Firefox didn't begin");
}

function control(browser: ChildProcess, { send, close }: Marionette) {
  const ended = once(browser, "exit");

  async function run<Result>(body: string, args: unknown[]): Promise<Result> {
    const script = `const [args, done] = [[...arguments].slice(0, -1), arguments[arguments.length - 1]];
      (async (...given) => { ${body} })(...args).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const { value } = await send<{ value: { value?: Result | null; error?: string } }>(
      "WebDriver:ExecuteAsyncScript",
      { script, args },
    );
    if (value.error !== undefined) throw new Error(value.error);
    // What is undefined comes as null.
    return (value.value ?? undefined) as Result;
  }

  return {
    send,
    /** Runs the body of an async function in the page of the tab that is in use, and resolves with what it returns. */
    inPage: <Result = void>(body: string, ...args: unknown[]) => run<Result>(body, args),
    /** The same in the browser's own window, where it may do anything. */
    async inBrowser<Result = void>(body: string, ...args: unknown[]): Promise<Result> {
      await send("Marionette:SetContext", { value: "chrome" });
      try {
        return await run<Result>(body, args);
      } finally {
        await send("Marionette:SetContext", { value: "content" });
      }
    },
    /** Ends it as a person does. */
    async close() {
      await send("Marionette:Quit", { flags: ["eForceQuit"] });
      await ended;
      close();
    },
    /** Ends it as a crash does. */
    async kill() {
      browser.kill("SIGKILL");
      await ended;
      close();
    },
  };
}
