/** Bends an answer by dotted paths, to try what clients make of odd ones. */
import type { Switches } from "./switches.ts";

type Bag = Record<string, unknown>;

export function reshape(answer: object, { set = {}, omit = [] }: Switches["answerShape"]): object {
  const copy = structuredClone(answer) as Bag;
  for (const [path, value] of Object.entries(set)) {
    const [parent, key] = walk(copy, path);
    parent[key] = value;
  }
  for (const path of omit) {
    const [parent, key] = walk(copy, path);
    delete parent[key];
  }
  return copy;
}

function walk(root: Bag, path: string): [parent: Bag, key: string] {
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let parent = root;
  for (const key of keys) {
    if (typeof parent[key] !== "object" || parent[key] === null) parent[key] = {};
    parent = parent[key] as Bag;
  }
  return [parent, last];
}
