/** Which tests are run for a mutant: those that call the function it stands in, the closest first. */
import { readFileSync } from "node:fs";
import type { Mutant } from "./mutants.ts";
import type { Chosen, Covered } from "./session.ts";

/** Milliseconds of the closest tests, by which most mutants are noticed. */
const LONGEST = 15_000;
/** Milliseconds of the others, for a mutant that is not. */
const LONGEST_REST = 40_000;
/** They measure the machine as well, which other work slows down. */
const MEASURES = /linear time|takes time that grows/;
/** A test that calls so few functions of core is about one of them. */
const FEW = 25;

export interface Choice {
  chosen: Chosen[];
  milliseconds: number;
  tests: number;
}

/** The choices of tests for a mutant, to be run one after the other until one notices it. */
export function chooseTests(mutant: Mutant, covered: Covered[]): Choice[] {
  const callers = covered.filter((test) => !MEASURES.test(test.name) && calls(test, mutant));
  const first = closest(callers);
  const isFirst = new Set(first.chosen.flatMap(({ tests }) => tests));
  return [first, shortest(callers.filter(({ test }) => !isFirst.has(test)))];
}

function calls(test: Covered, { file, functions }: Mutant): boolean {
  const inside = functions.at(-1);
  return inside === undefined
    ? test.functions.some((called) => called.startsWith(`${file}:`)) || imports(test.file, file)
    : test.functions.includes(`${file}:${inside}`);
}

/** The tests about few functions come first, those of one file together; then the others, as many as there is time. */
function closest(callers: Covered[]): Choice {
  const sorted = callers.toSorted(
    (a, b) => a.functions.length - b.functions.length || a.milliseconds - b.milliseconds,
  );
  const close = groupsOf(sorted.filter((test) => test.functions.length <= FEW));
  const others = groupsOf(sorted.filter((test) => test.functions.length > FEW));
  const choice: Choice = { chosen: [], milliseconds: 0, tests: 0 };
  const isTooLong = (more: number) => choice.tests > 0 && choice.milliseconds + more > LONGEST;
  for (const tests of [...close, ...others]) {
    const [first] = tests;
    if (first === undefined || isTooLong(first.overhead + first.milliseconds)) continue;
    const fitting = tests.filter(({ milliseconds, overhead }, at) => {
      const more = milliseconds + (at === 0 ? overhead : 0);
      if (isTooLong(more)) return false;
      choice.milliseconds += more;
      choice.tests++;
      return true;
    });
    choice.chosen.push(chosenOf(fitting, first.file));
  }
  return choice;
}

/** As many tests as there is time, so the shortest. */
function shortest(callers: Covered[]): Choice {
  let milliseconds = 0;
  const files = new Set<string>();
  const fitting = callers
    .toSorted((a, b) => a.milliseconds - b.milliseconds)
    .filter((test) => {
      const more = test.milliseconds + (files.has(test.file) ? 0 : test.overhead);
      if (milliseconds + more > LONGEST_REST) return false;
      milliseconds += more;
      files.add(test.file);
      return true;
    });
  const chosen = groupsOf(fitting).map((tests) => chosenOf(tests, tests[0]?.file ?? ""));
  return { chosen, milliseconds, tests: fitting.length };
}

function chosenOf(tests: Covered[], file: string): Chosen {
  return { file, tests: tests.map(({ test }) => test) };
}

function imports(test: string, source: string): boolean {
  return readFileSync(test, "utf8").includes(`"../../${source}"`);
}

function groupsOf(tests: Covered[]): Covered[][] {
  const groups = new Map<string, Covered[]>();
  for (const test of tests) groups.set(test.file, [...(groups.get(test.file) ?? []), test]);
  return [...groups.values()];
}
