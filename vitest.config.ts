import { defineConfig } from "vitest/config";

/** `npm run test:long` sets it: then only the big ones run, else all but them. */
const long = process.env.UPCUT_LONG !== undefined;

/** The pages of the extension by themselves, in a browser. */
const pages = [
  "test/entrypoints/{accessibility,options,terminate}.test.ts",
  "test/entrypoints/popup*.test.ts",
];
const elsewhere = ["test/runtimes/**", "test/bench/**", "test/control/**", "test/e2e/**"];
const exclude = ["**/node_modules/**", ...elsewhere, ...(long ? [] : ["**/*.long.test.ts"])];

export default defineConfig({
  test: {
    // They mostly wait; the long run also measures.
    maxWorkers: long ? 1 : 2,
    // A busy machine takes its time; a test that passes never waits so long.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: long
      ? [{ extends: true, test: { name: "long", include: ["test/**/*.long.test.ts"], exclude } }]
      : [
          {
            extends: true,
            test: {
              name: "quick",
              include: ["test/{core,entrypoints,service}/**/*.test.ts"],
              exclude: [...exclude, ...pages],
            },
          },
          {
            extends: true,
            test: { name: "pages", include: pages, globalSetup: ["test/entrypoints/pages/build.ts"] },
          },
          {
            extends: true,
            test: {
              name: "thorough",
              include: ["test/**/*.test.ts"],
              exclude: [...exclude, "test/{core,entrypoints,service}/**"],
            },
          },
        ],
  },
});
