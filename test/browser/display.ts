/** A display that nobody sees, with a real mouse and keyboard, for what a browser shows outside of its pages. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { installPackages } from "../support/debian.ts";
import { scratchFolder } from "../support/scratch.ts";
import { readFramebuffer } from "./framebuffer.ts";

const run = promisify(execFile);
const PROGRAMS = ["Xvfb", "xdotool"];
const PACKAGES = ["xvfb", "xdotool"];

export type Display = Awaited<ReturnType<typeof startDisplay>>;

/** Starts a display; its programs are installed first where Debian's packages can be. */
export async function startDisplay(size = "1280x900x24") {
  await provideDisplay();
  const folder = await scratchFolder("display");
  const args = ["-displayfd", "1", "-screen", "0", size, "-nolisten", "tcp", "-fbdir", folder.path];
  const server = spawn("Xvfb", args, { stdio: ["ignore", "pipe", "ignore"] });
  const [number] = (await once(createInterface(server.stdout), "line")) as [string];
  const name = `:${number}`;
  const env = { ...process.env, DISPLAY: name };
  return {
    /** What DISPLAY is to be. */
    name,
    /** Does something with mouse and keyboard, as `xdotool` takes it. */
    act: async (...command: string[]) => (await run("xdotool", command, { env })).stdout.trim(),
    look: async () => readFramebuffer(await readFile(join(folder.path, "Xvfb_screen0"))),
    async close() {
      const ended = once(server, "exit");
      server.kill();
      await ended;
      await folder.remove();
    },
  };
}

async function arePresent(): Promise<boolean> {
  const found = await Promise.all(PROGRAMS.map((program) => run("which", [program]).catch(() => undefined)));
  return found.every((each) => each !== undefined);
}

/** Installs what a display needs, where it isn't there. */
export async function provideDisplay(): Promise<void> {
  if (await arePresent()) return;
  await installPackages(...PACKAGES);
  if (!(await arePresent())) throw new Error(`Cannot start a display: install ${PROGRAMS.join(" and ")}`);
}
