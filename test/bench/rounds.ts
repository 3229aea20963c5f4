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

/** All that was measured of one candidate. */
export interface Measured {
  name: string;
  rounds: Figures[];
}

/** Measures all candidates, each round beginning with another one. */
export async function interleave(candidates: readonly Candidate[], rounds: number): Promise<Measured[]> {
  const measured = candidates.map(({ name }): Measured => ({ name, rounds: [] }));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < candidates.length; turn++) {
      const index = (turn + round) % candidates.length;
      const figures = await candidates[index]?.run();
      if (figures === undefined) continue;
      measured[index]?.rounds.push(figures);
      const told = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(2)}`);
      console.log(`  round ${round + 1}/${rounds}  ${candidates[index]?.name}: ${told.join(", ")}`);
    }
  }
  return measured;
}

/** The spread of a figure. */
export function spreadOf(measured: Measured, figure: string): Spread {
  return spread(measured.rounds.map((round) => round[figure] ?? Number.NaN));
}

/** The spread of a figure over the same figure of another candidate, each with that of the same round. */
export function ratioOf(measured: Measured, base: Measured, figure: string): Spread {
  return spread(
    measured.rounds.map(
      (round, index) => (round[figure] ?? Number.NaN) / (base.rounds[index]?.[figure] ?? Number.NaN),
    ),
  );
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median =
    sorted.length % 2 === 1
      ? (sorted[Math.floor(middle)] ?? Number.NaN)
      : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
  return { median, least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN };
}
