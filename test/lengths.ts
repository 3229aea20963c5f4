/**
 * `npm run check` runs it: lines of files and functions, comments and blank lines included, which Biome leaves out.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface Limits {
  file: number;
  function: number;
}

/** Most lines, by folder. A suite of tests is a list of cases, so those may be long; they get no longer. */
const LIMITS: Record<string, Limits> = {
  core: { file: 250, function: 80 },
  entrypoints: { file: 250, function: 80 },
  test: { file: 760, function: 350 },
};

/** What is too long in a file. */
export function problemsOf(path: string, text: string, most: Limits): string[] {
  const lines = text.replace(/\n$/, "").split("\n").length;
  const long = lines > most.file ? [`${path} has ${lines} lines, expected at most ${most.file}`] : [];
  for (const { start, end } of functionsIn(parseSync(path, text).program)) {
    const before = text.slice(0, start).split("\n").length;
    const size = text.slice(start, end).split("\n").length;
    if (size > most.function)
      long.push(`${path}:${before} is a function of ${size} lines, expected at most ${most.function}`);
  }
  return long;
}

interface Node {
  type: string;
  start: number;
  end: number;
}

function* functionsIn(value: unknown): Generator<Node> {
  if (typeof value !== "object" || value === null) return;
  if (isFunction(value)) yield value;
  for (const child of Object.values(value)) yield* functionsIn(child);
}

function isFunction(value: object): value is Node {
  return (
    "type" in value &&
    /^(?:ArrowFunctionExpression|Function(?:Declaration|Expression))$/.test(String(value.type))
  );
}

function* sourcesIn(folder: string): Generator<string> {
  for (const entry of readdirSync(`${ROOT}${folder}`, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && entry.name !== "node_modules") yield* sourcesIn(path);
    else if (entry.isFile() && entry.name.endsWith(".ts")) yield path;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = Object.entries(LIMITS).map(([folder, limits]) => {
    const paths = [...sourcesIn(folder)];
    const problems = paths.flatMap((path) =>
      problemsOf(path, readFileSync(`${ROOT}${path}`, "utf8"), limits),
    );
    return { paths, problems };
  });
  const problems = found.flatMap((folder) => folder.problems);
  for (const line of problems) console.error(line);
  const count = found.reduce((sum, { paths }) => sum + paths.length, 0);
  console.log(`Lengths of ${count} files: ${problems.length} too long`);
  if (problems.length > 0) process.exitCode = 1;
}
