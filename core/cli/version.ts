/** Kept equal to package.json and deno.json by a test. */
export const VERSION = "0.2.0";
