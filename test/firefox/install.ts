/** Gets a Firefox onto a machine that has none: Debian's packages, unpacked beside the tests; needs no root. */
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { downloadPackages, updateLists } from "../debian.ts";

const STATE = fileURLToPath(new URL("./.state", import.meta.url));
const UNPACKED = join(STATE, "firefox");
/** Other Firefoxes than the ESR and those for developers keep no extension without a signature over a restart. */
const PACKAGE = "firefox-esr";
const PROGRAM = "usr/lib/firefox-esr/firefox-esr";
/** The oldest that the extension's manifest takes. */
const OLDEST = 153;
const run = promisify(execFile);

/** The program, and the folder of libraries that it needs besides those of the machine. */
export interface FirefoxProgram {
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
  if (!existsSync(UNPACKED)) await unpack();
  const unpacked = { path: join(UNPACKED, PROGRAM), libraries: await librariesIn(UNPACKED) };
  if (await isNewEnough(unpacked)) return unpacked;
  throw new Error(`Cannot test in Firefox: Debian's is older than ${OLDEST}. ${ADVICE}`);
}

const ADVICE = "Set FIREFOX_PATH to the program of a Firefox ESR or Firefox Developer Edition";

async function isNewEnough({ path, libraries }: FirefoxProgram): Promise<boolean> {
  const env = { ...process.env, LD_LIBRARY_PATH: libraries };
  const { stdout } = await run(path, ["--version"], { env });
  return Number(/ (\d+)\./.exec(stdout)?.[1]) >= OLDEST;
}

async function unpack(): Promise<void> {
  await mkdir(STATE, { recursive: true });
  const folder = await mkdtemp(join(STATE, "unpack-"));
  try {
    console.log(`No Firefox found: unpacking Debian's into ${UNPACKED}`);
    if (!(await downloadPackages(folder, await missingPackages())))
      throw new Error("apt-get download failed");
    for (const name of await readdir(folder))
      if (name.endsWith(".deb")) await run("dpkg", ["-x", name, "firefox"], { cwd: folder });
    if (!existsSync(join(folder, "firefox", PROGRAM))) throw new Error("it is in none of the packages");
    // Another run may have been faster.
    await rename(join(folder, "firefox"), UNPACKED).catch((error) => {
      if (!existsSync(UNPACKED)) throw error;
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim().split("\n").at(-1) : "unknown reason";
    throw new Error(`Cannot get Firefox ESR, which these tests run in: ${reason}. ${ADVICE}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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

async function librariesIn(folder: string): Promise<string> {
  const below = await readdir(join(folder, "usr/lib"), { recursive: true, withFileTypes: true });
  const own = dirname(join(folder, PROGRAM));
  const folders = below
    .filter(({ name, parentPath }) => name.includes(".so") && !parentPath.startsWith(own))
    .map(({ parentPath }) => parentPath);
  return [...new Set(folders)].join(":");
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
