import { defineConfig } from "vitest/config";

/** `npm run test:long` sets it: then only the big ones run, else all but them. */
const long = process.env.UPCUT_LONG !== undefined;

export default defineConfig({
  test: {
    include: long ? ["test/**/*.long.test.ts"] : ["test/**/*.test.ts"],
    exclude: [
      "**/node_modules/**",
      "test/runtimes/**",
      "test/bench/**",
      "test/control/**",
      "test/e2e/**",
      ...(long ? [] : ["test/**/*.long.test.ts"]),
    ],
    // They mostly wait; the long run also measures.
    maxWorkers: long ? 1 : 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
