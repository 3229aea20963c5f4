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
    // A busy machine takes its time; a test that passes never waits so long.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
