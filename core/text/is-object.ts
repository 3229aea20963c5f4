/** Objects as JSON means them: names and values, neither a list nor null. */

/** True for an object or a function: those of a runtime or another package may be either. */
export function hasMembers(value: unknown): value is Record<string, unknown> {
  return isObject(value) || typeof value === "function";
}

/** True if a value has names and values of its own. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON text, or `undefined` where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
