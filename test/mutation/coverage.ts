/** Set up before a test file: notes which functions of core each test calls. */
import { afterEach, beforeEach } from "vitest";

const outside = new Set<string>();
const running = new Map<string, Set<string>>();

Object.assign(globalThis, {
  calledFunction(file: string, start: number) {
    const called = `${file}:${start}`;
    if (running.size === 0) outside.add(called);
    for (const functions of running.values()) functions.add(called);
  },
});

beforeEach(({ task }) => {
  running.set(task.id, new Set());
});
afterEach(({ task }) => {
  // What ran before all tests, or while a file was loaded, ran for each of them.
  task.meta.functions = [...new Set([...outside, ...(running.get(task.id) ?? [])])];
  running.delete(task.id);
});
