/** Lives that showed a fault once, and which. A change of what is drawn, or of its order, gives them other stories. */
export const KEPT_SEEDS: readonly [seed: number, showed: string][] = [
  [6983, "a direct upload counted as remembered though its journal took no note of its last byte"],
];
