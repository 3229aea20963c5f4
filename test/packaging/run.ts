/** Runs a program to its end. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { npmCommand } from "../run/npm.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Ended {
  code: number | null;
  stdout: string;
  /** Both outputs, as a person would see them. */
  output: string;
}

/** Runs a program in a folder; what the npm that started the tests told its own scripts is kept from it. */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  environment: Record<string, string> = {},
): Promise<Ended> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^npm_(package|lifecycle|config_(local_|global_)?prefix$)/i.test(name),
  );
  const env = { ...Object.fromEntries(inherited), NO_COLOR: "1", ...environment };
  const [command = "", ...first] = program === "npm" ? npmCommand() : [program];
  const child = spawn(command, [...first, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended: Ended = { code: null, stdout: "", output: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    ended.stdout += text;
    ended.output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    ended.output += text;
  });
  [ended.code] = (await once(child, "close")) as [number | null];
  return ended;
}

/** Runs a program that has to succeed, and returns its standard output. */
export async function succeed(...call: Parameters<typeof run>): Promise<string> {
  const { code, stdout, output } = await run(...call);
  if (code !== 0) throw new Error(`${call[0]} ${call[1].join(" ")} ended with ${code}:\n${output}`);
  return stdout;
}
