/** Lives that showed a fault once, by their numbers, and what they showed. */
export const KEPT_SEEDS: readonly [seed: number, showed: string][] = [];
