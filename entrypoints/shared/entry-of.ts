/** Reads a table by a word of somebody else's: every object has a "constructor", which is no entry of any table. */

export function entryOf<Value>(
  table: Readonly<Partial<Record<string, Value>>>,
  word: string,
): Value | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
