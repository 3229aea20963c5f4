/** The documents that the project has written, and the code in them. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./run.ts";

/** Below these; what is generated or installed there is not ours. */
const FOLDERS = [".github", "core", "docs", "test/bench/results"];

export const DOCUMENTS: string[] = (await readdir(ROOT)).filter((name) => name.endsWith(".md"));
for (const folder of FOLDERS) {
  const paths = (await readdir(join(ROOT, folder), { recursive: true })).map((path) =>
    path.replaceAll("\\", "/"),
  );
  const written = paths.filter((path) => path.endsWith(".md") && !/(^|\/)(node_modules|api)\//.test(path));
  DOCUMENTS.push(...written.map((path) => `${folder}/${path}`));
}

export interface Block {
  path: string;
  language: string;
  code: string;
}

export async function blocks(): Promise<Block[]> {
  const each = await Promise.all(
    DOCUMENTS.map(async (path) => {
      const text = await readFile(join(ROOT, path), "utf8");
      return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = "", code = ""]) => ({
        path,
        language,
        code,
      }));
    }),
  );
  return each.flat();
}

/** The commands of a block of shell code, without comments, redirections, and what only joins them. */
export function commandsOf(code: string): string[] {
  // A text in quotes may have lines.
  const whole = code.replace(/"[^"]*"/g, (text) => text.replaceAll("\n", " ")).split("\n");
  return whole.flatMap((line) =>
    line
      .replace(/(^|\s)#.*/, "")
      .replace(/ [<>] \S+/g, "")
      .split(/ (?:&&|\|) /)
      .map((command) => command.trim())
      .filter((command) => command !== ""),
  );
}

export function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}
