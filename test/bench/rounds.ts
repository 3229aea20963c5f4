/** Interleaved rounds: each candidate once in each round, so that whatever else the machine does meets them all. */

/** What one run of one candidate gave, by the name of the figure. */
export type Figures = Record<string, number>;

/** Something that is measured beside others. */
export interface Candidate {
  name: string;
  run(): Promise<Figures>;
}

/** Median and range of one figure over all rounds. */
export interface Spread {
  median: number;
  least: number;
  most: number;
}

export interface Measured {
  name: string;
  rounds: Figures[];
}

/** How many times its least a plain client takes at most, where the machine does nothing else. */
const QUIET = 1.5;
const ATTEMPTS = 3;

/**
 * Measures all candidates, each round beginning with another one.
 *
 * @param base a plain client: where its own times differ, the machine does something else, and all is measured once more
 * @throws where the machine does so each time
 */
export async function interleave(
  candidates: readonly Candidate[],
  rounds: number,
  base?: string,
): Promise<Measured[]> {
  for (let attempt = 1; ; attempt++) {
    const measured = await runRounds(candidates, rounds);
    if (base === undefined) return measured;
    const { least, most } = spreadOf(find(measured, base), "seconds");
    if (most <= QUIET * least) return measured;
    const noisy = `${base} took ${least.toFixed(2)} to ${most.toFixed(2)} s: the machine does something else`;
    if (attempt === ATTEMPTS) throw new Error(`${noisy}, and no figure was written`);
    console.log(`  ${noisy}. All is measured once more`);
  }
}

async function runRounds(candidates: readonly Candidate[], rounds: number): Promise<Measured[]> {
  const measured = candidates.map((candidate) => ({ ...candidate, rounds: [] as Figures[] }));
  for (let round = 0; round < rounds; round++) {
    const first = round % measured.length;
    for (const each of [...measured.slice(first), ...measured.slice(0, first)]) {
      const figures = await each.run();
      each.rounds.push(figures);
      const told = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(2)}`);
      console.log(`  round ${round + 1}/${rounds}  ${each.name}: ${told.join(", ")}`);
    }
  }
  return measured;
}

export function find(all: readonly Measured[], name: string): Measured {
  const found = all.find((each) => each.name === name);
  if (found === undefined) throw new Error(`nothing was measured of ${name}`);
  return found;
}

export function spreadOf({ rounds }: Measured, figure: string): Spread {
  return spread(rounds.map((round) => round[figure] ?? Number.NaN));
}

/** The spread of a figure over the same figure of another candidate, each with that of the same round. */
export function ratioOf({ rounds }: Measured, base: Measured, figure: string): Spread {
  return spread(
    rounds.map((round, at) => (round[figure] ?? Number.NaN) / (base.rounds[at]?.[figure] ?? Number.NaN)),
  );
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (place: number) => sorted.at(place) ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return { median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2, least: at(0), most: at(-1) };
}
