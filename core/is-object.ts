/**
 * What JSON calls an object: names and values, neither a list nor null.
 *
 * @module
 */

/** Whether a value is one, or a function: objects of a runtime or of another package may be either. */
export function hasMembers(value: unknown): value is Record<string, unknown> {
  return isObject(value) || typeof value === "function";
}

/** Whether a value has names and values of its own. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
