/** A process that runs tests of core with one source file changed, which on disk stays as it is. */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { createVitest, type TestModule, type Vitest } from "vitest/node";
import { apply, type Mutant, withReports } from "./mutants.ts";

/** Some tests of a file, by their identifiers. */
export interface Chosen {
  file: string;
  tests: string[];
}

/** A test, and the functions of core it calls, as `file:start`. */
export interface Covered {
  file: string;
  test: string;
  name: string;
  milliseconds: number;
  /** What it takes to load the file and to set it up. */
  overhead: number;
  functions: string[];
}

export type Command = { cover: string[] } | { mutant: Mutant; chosen: Chosen[] };
export type Reply = { covered: Covered[] } | { killedBy: string | undefined } | { error: string };

declare module "vitest" {
  interface TaskMeta {
    functions?: string[];
  }
}

let mutant: Mutant | undefined;
let isCovering = false;
const root = process.cwd();
let vitest: Vitest | undefined;

async function start(): Promise<Vitest> {
  return await createVitest(
    "test",
    {
      config: false,
      watch: false,
      include: ["test/core/*.test.ts"],
      pool: "threads",
      maxWorkers: 1,
      bail: isCovering ? 0 : 1,
      reporters: [{}],
      setupFiles: isCovering ? ["test/mutation/coverage.ts"] : [],
      expect: { poll: { timeout: 15_000 } },
      testTimeout: 60_000,
      hookTimeout: 120_000,
    },
    {
      logLevel: "silent",
      plugins: [
        {
          name: "mutation",
          enforce: "pre",
          transform(_, id) {
            const file = relative(root, id);
            if (mutant !== undefined && file === mutant.file)
              return { code: apply(readFileSync(id, "utf8"), mutant), map: null };
            if (!isCovering || !/^core\/.*\.ts$/.test(file)) return undefined;
            return { code: withReports(file, readFileSync(id, "utf8")), map: null };
          },
        },
      ],
    },
  );
}

async function cover(files: string[]): Promise<Covered[]> {
  isCovering = true;
  vitest ??= await start();
  const covered: Covered[] = [];
  for (const file of files) {
    const began = performance.now();
    const module = await run(vitest, { file, tests: [] });
    const overhead = Math.max(0, performance.now() - began - (module?.diagnostic().duration ?? 0));
    for (const test of module?.children.allTests("passed") ?? []) {
      covered.push({
        file,
        test: test.id,
        name: test.fullName,
        milliseconds: test.diagnostic()?.duration ?? 0,
        overhead,
        functions: test.meta().functions ?? [],
      });
    }
  }
  return covered;
}

/** The first test that fails. */
async function kill(next: Mutant, chosen: Chosen[]): Promise<string | undefined> {
  vitest ??= await start();
  if (mutant !== undefined) vitest.invalidateFile(`${root}/${mutant.file}`);
  mutant = next;
  vitest.invalidateFile(`${root}/${mutant.file}`);
  for (const each of chosen) {
    const module = await run(vitest, each);
    if (module?.ok() === true) continue;
    const [failed] = module?.children.allTests("failed") ?? [];
    return `${each.file}${failed === undefined ? "" : ` > ${failed.fullName}`}`;
  }
  return undefined;
}

async function run(vitest: Vitest, { file, tests }: Chosen): Promise<TestModule | undefined> {
  const specification = vitest.getRootProject().createSpecification(`${root}/${file}`);
  if (tests.length > 0) specification.testIds = tests;
  await vitest.runTestSpecifications([specification]);
  return specification.testModule;
}

process.on("message", async (command: Command) => {
  let reply: Reply;
  try {
    reply =
      "cover" in command
        ? { covered: await cover(command.cover) }
        : { killedBy: await kill(command.mutant, command.chosen) };
  } catch (error) {
    reply = { error: String(error) };
  }
  process.send?.(reply);
});
process.on("disconnect", () => process.exit());
