/** How large a record may be: what is larger is no asset, and looking through it would take time and memory. */

import { isObject } from "../is-object.ts";

/** Lists and objects inside each other. */
const DEEPEST = 32;
/** Fields and entries, all together; real records have some hundred. */
const MOST_VALUES = 20_000;

/** True if a value is no larger and no deeper than any real record. */
export function isRecordSized(value: unknown): boolean {
  let values = 0;
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    values += level.length;
    if (depth > DEEPEST) return false;
    const next: unknown[] = [];
    for (const each of level) {
      if (!Array.isArray(each) && !isObject(each)) continue;
      const children: unknown[] = Array.isArray(each) ? each : Object.values(each);
      if (values + next.length + children.length > MOST_VALUES) return false;
      next.push(...children);
    }
    level = next;
  }
  return true;
}
