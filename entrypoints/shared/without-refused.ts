/** Keeps what can be used of a stored value, whatever a broken profile or another version left. Pure. */
import * as v from "valibot";

/** The part of a stored value that a schema takes, undefined where it takes none, and the paths of what it refuses. */
export function withoutRefused(
  schema: v.GenericSchema,
  stored: unknown,
): { kept: unknown; paths: string[][] } {
  const kept = structuredClone(stored);
  const paths: string[][] = [];
  for (;;) {
    const issues = v.safeParse(schema, kept).issues ?? [];
    const refused = issues.map(({ path }) => (path ?? []).map(({ key }) => String(key)));
    if (refused.some((path) => path.length === 0)) return { kept: undefined, paths: [...paths, []] };
    const path = refused.find((each) => take(kept, each));
    // Nothing was refused where it is missing.
    if (path === undefined) return { kept, paths };
    paths.push(path);
  }
}

/** Takes a field or an entry away; whether it was there. */
function take(whole: unknown, path: string[]): boolean {
  const holder = path.slice(0, -1).reduce((at, key) => at[key] as never, whole as Record<string, unknown>);
  const key = path.at(-1) ?? "";
  if (!Object.hasOwn(holder, key)) return false;
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
  // Nothing is left to be asked for.
  if (path.length > 1 && Object.keys(holder).length === 0) take(whole, path.slice(0, -1));
  return true;
}
