import { expect, test } from "vitest";
import { runQueue, type Turn } from "../../../core/many/queue.ts";
import { caught } from "../../support/caught.ts";

type Outcome = { of: string };

/** A queue whose work ends when a test says so. */
function open(list: Iterable<string> | AsyncIterable<string>, concurrency = 2) {
  const stop = new AbortController();
  const turns: Turn<string>[] = [];
  const waiting = new Map<string, (outcome: Outcome | "later" | undefined) => void>();
  const counts: number[] = [];
  const outcomes = runQueue<string, Outcome>({
    list,
    concurrency,
    signal: stop.signal,
    abort: (reason) => stop.abort(reason),
    onEnd: (count) => counts.push(count),
    run: (turn) =>
      new Promise((resolve) => {
        turns.push(turn);
        waiting.set(turn.item, resolve);
      }),
  });
  const end = (item: string, outcome: Outcome | "later" | "nothing" = { of: item }) =>
    waiting.get(item)?.(outcome === "nothing" ? undefined : outcome);
  const running = async (...items: string[]) =>
    await expect.poll(() => turns.map(({ item }) => item)).toEqual(items);
  return { stop, turns, counts, outcomes, end, running };
}

test("takes elements while there is room, and gives outcomes as they come", async () => {
  const { turns, counts, outcomes, end, running } = open(["a", "b", "c"]);
  const first = outcomes.next();
  await running("a", "b");
  end("b");
  expect(await first).toEqual({ done: false, value: { of: "b" } });
  await running("a", "b", "c");
  end("c");
  expect(await outcomes.next()).toEqual({ done: false, value: { of: "c" } });
  // There is nothing to tell of it.
  end("a", "nothing");
  expect(await outcomes.next()).toEqual({ done: true, value: undefined });
  expect(turns.map(({ index, isAgain }) => [index, isAgain])).toEqual([0, 1, 2].map((at) => [at, false]));
  expect(counts).toEqual([3]);
});

test("ends where its list does so after the last outcome", async () => {
  let endList = () => {};
  async function* list() {
    yield "a";
    await new Promise<void>((resolve) => (endList = resolve));
  }
  const { outcomes, end, running } = open(list());
  const first = outcomes.next();
  await running("a");
  end("a");
  await first;
  const last = outcomes.next();
  endList();
  expect(await last).toEqual({ done: true, value: undefined });
});

test("takes no more while as many outcomes wait as may run", async () => {
  const { outcomes, end, running } = open(["a", "b", "c", "d"], 1);
  const first = outcomes.next();
  await running("a");
  end("a");
  await first;
  await running("a", "b");
  end("b");
  await new Promise((resolve) => setImmediate(resolve));
  await running("a", "b");
  expect(await outcomes.next()).toMatchObject({ value: { of: "b" } });
  await running("a", "b", "c");
  await Promise.all([outcomes.return(undefined), end("c")]);
});

test("lets what another call has come again after all others", async () => {
  const { turns, outcomes, end, running } = open(["a", "b"], 1);
  const first = outcomes.next();
  await running("a");
  end("a", "later");
  await running("a", "b");
  end("b");
  expect(await first).toMatchObject({ value: { of: "b" } });
  await running("a", "b", "a");
  expect(turns.at(-1)).toEqual({ item: "a", index: 0, isAgain: true });
  end("a");
  expect(await outcomes.next()).toMatchObject({ value: { of: "a" } });
  expect((await outcomes.next()).done).toBe(true);
});

test("ends with the error of its list, after what had begun", async () => {
  const failure = new Error("no list");
  function* list() {
    yield "a";
    throw failure;
  }
  const { counts, outcomes, end, running } = open(list());
  const first = outcomes.next();
  await running("a");
  end("a");
  expect(await first).toMatchObject({ value: { of: "a" } });
  expect(await caught(outcomes.next())).toBe(failure);
  expect(counts).toEqual([]);
});

test("ends with the reason of an abort, takes nothing more, and lets its list go", async () => {
  let isLeft = false;
  function* list() {
    try {
      yield* ["a", "b", "c"];
    } finally {
      isLeft = true;
    }
  }
  const { stop, outcomes, end, running } = open(list(), 1);
  const first = outcomes.next();
  await running("a");
  const reason = new Error("enough");
  stop.abort(reason);
  end("a", "nothing");
  expect(await caught(first)).toBe(reason);
  await running("a");
  expect(isLeft).toBe(true);
});

test("that is left aborts what runs and waits for it, though its list gives nothing more", async () => {
  async function* list() {
    yield "a";
    yield "b";
    await new Promise(() => {});
  }
  const { stop, outcomes, end, running } = open(list(), 3);
  const first = outcomes.next();
  await running("a", "b");
  end("a");
  await first;
  let isLeft = false;
  const leaving = outcomes.return(undefined).then(() => {
    isLeft = true;
  });
  await expect.poll(() => stop.signal.aborted).toBe(true);
  expect([isLeft, stop.signal.reason.name]).toEqual([false, "AbortError"]);
  end("b");
  await leaving;
});
