/** Work on many things in small slices, between which the page can respond. */

/** Milliseconds of one slice: a long list must not keep the page from answering. */
const SLICE = 10;

export interface WorkQueue<Key, Item> {
  /** Has an item worked on soon; under a key that waits already, the newest item is. */
  add(key: Key, item: Item): void;
  /** Takes back what is no longer to be done. */
  delete(key: Key): void;
  has(key: Key): boolean;
  /** What still waits. */
  waiting(): Item[];
}

export interface WorkQueueOptions<Item> {
  /** Has a function called when the page has time for a slice: a frame, a task. */
  schedule(run: () => void): void;
  work(item: Item): void;
  /** Called after each slice. */
  onSlice?(): void;
  /** @default performance.now */
  now?(): number;
}

export function createWorkQueue<Key, Item>({
  schedule,
  work,
  onSlice = () => {},
  now = () => performance.now(),
}: WorkQueueOptions<Item>): WorkQueue<Key, Item> {
  const waiting = new Map<Key, Item>();
  let isScheduled = false;

  function scheduleOnce(): void {
    if (isScheduled || waiting.size === 0) return;
    isScheduled = true;
    schedule(run);
  }

  function run(): void {
    isScheduled = false;
    const end = now() + SLICE;
    try {
      for (const [key, item] of waiting) {
        waiting.delete(key);
        work(item);
        if (now() > end) break;
      }
    } finally {
      // What fails with one item keeps no other one waiting.
      scheduleOnce();
      onSlice();
    }
  }

  return {
    add(key, item) {
      waiting.set(key, item);
      scheduleOnce();
    },
    delete: (key) => void waiting.delete(key),
    has: (key) => waiting.has(key),
    waiting: () => [...waiting.values()],
  };
}
