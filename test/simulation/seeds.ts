/** Lives that showed a fault once, and which. A change of what is drawn, or of its order, gives them other stories. */
export const KEPT_SEEDS: readonly [seed: number, showed: string][] = [
  [2197, "a direct upload counted as remembered though its journal took no note of its last byte"],
  [30168, "an end was believed that a store told after it had swept, while the machine slept in a request"],
  [30500, "an end was believed after a request that had begun two days before"],
  [50645, "a file that changed while its upload waited for another one was sent behind what it had held"],
  [50702, "the same, behind two parts"],
  [523990019, "a proxy's 407 counted as the answer of a host that has put the parts together"],
];
