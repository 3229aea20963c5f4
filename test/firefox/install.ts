/** Gets a Firefox onto a machine that has none; needs no root. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { isProgram } from "../browser/find.ts";
import { unpackProgram, updateLists } from "../support/debian.ts";

/** Other Firefoxes than the ESR and those for developers keep no extension without a signature over a restart. */
const PACKAGE = "firefox-esr";
const PROGRAM = "usr/lib/firefox-esr/firefox-esr";
/** The oldest that the extension's manifest takes. */
const OLDEST = 153;
const run = promisify(execFile);

/** The program, and the folder of libraries that it needs besides those of the machine. */
interface FirefoxProgram {
  path: string;
  libraries: string;
}

/** Finds what FIREFOX_PATH names, else the machine's own ESR, else one that was unpacked before, or unpacks one now. */
export async function findFirefox(): Promise<FirefoxProgram> {
  const named = process.env.FIREFOX_PATH;
  if (named) {
    if (!isProgram(named))
      throw new Error(`Cannot start Firefox: FIREFOX_PATH is ${JSON.stringify(named)}, no program`);
    return { path: named, libraries: "" };
  }
  const own = { path: join("/", PROGRAM), libraries: "" };
  if (isProgram(own.path) && (await isNewEnough(own))) return own;
  const unpacked = await unpackProgram({
    root: fileURLToPath(new URL("./.state/firefox", import.meta.url)),
    program: PROGRAM,
    packages: missingPackages,
    advice: ADVICE,
  });
  if (await isNewEnough(unpacked)) return unpacked;
  throw new Error(`Cannot test in Firefox: Debian's is older than ${OLDEST}. ${ADVICE}`);
}

const ADVICE = "Set FIREFOX_PATH to the program of a Firefox ESR or Firefox Developer Edition";

async function isNewEnough({ path, libraries }: FirefoxProgram): Promise<boolean> {
  const env = { ...process.env, LD_LIBRARY_PATH: libraries };
  const { stdout } = await run(path, ["--version"], { env });
  return Number(/ (\d+)\./.exec(stdout)?.[1]) >= OLDEST;
}

/** Firefox, and those of the packages it depends on that the machine lacks. */
async function missingPackages(): Promise<string[]> {
  const listed = await listMissing();
  if (listed.includes(PACKAGE)) return listed;
  // A machine that was just set up has no list of packages, which only root can get.
  await updateLists();
  return await listMissing();
}

async function listMissing(): Promise<string[]> {
  const args = ["--simulate", "--no-install-recommends", "install", PACKAGE];
  const { stdout } = await run("apt-get", args).catch(() => ({ stdout: "" }));
  return [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name = ""]) => name);
}
