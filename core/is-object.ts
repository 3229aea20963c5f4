/**
 * What JSON calls an object: names and values, neither a list nor null.
 *
 * @module
 */

/** Whether a value has names and values of its own. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
