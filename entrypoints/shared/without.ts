/** A record without some of its fields. */
export function without<Whole extends object, Name extends keyof Whole>(
  whole: Whole,
  ...names: readonly Name[]
): Omit<Whole, Name> {
  const left = { ...whole };
  for (const name of names) delete left[name];
  return left;
}
