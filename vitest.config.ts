import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { secondTry } from "./test/second-try/config.ts";

/** `npm run test:long` sets it: then only the big ones run, else all but them. */
const long = process.env.UPCUT_LONG !== undefined;

const elsewhere = ["test/runtimes/**", "test/bench/**", "test/control/**", "test/e2e/**", "test/firefox/**"];
const exclude = ["**/node_modules/**", ...elsewhere, ...(long ? [] : ["**/*.long.test.ts"])];

/** The pages of the extension by themselves, in a browser. */
const pages = [
  "test/entrypoints/{accessibility,collector,keyboard,options,options-first-run,picture-size,terminate}.test.ts",
  "test/entrypoints/popup*.test.ts",
];
/** What a change most often needs, in Node alone: `npm run test:quick`. */
const quick = [
  "test/core/!(bandwidth|cli|disk|examples|hls-faults|hls-resume|journal-entries|journal-lease|journal-list|journal-redis|source-changes|source-silence|tls|upload-all|url).test.ts",
  "test/entrypoints/!(accessibility|collector|keyboard|options|options-first-run|picture-size|terminate|popup*).test.ts",
];

/** The messages of the extension, for tests of its own modules. */
const setupFiles = ["test/entrypoints/setup.ts"];

function project(
  name: string,
  include: string[],
  more: NonNullable<TestProjectInlineConfiguration["test"]> = {},
): TestProjectInlineConfiguration {
  return { extends: true, test: { name, include, exclude, ...more } };
}

export default defineConfig({
  test: {
    ...secondTry,
    // They mostly wait; the long run also measures.
    maxWorkers: long ? 1 : 3,
    // A busy machine takes its time; a test that passes never waits so long.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: long
      ? [project("long", ["test/**/*.long.test.ts"], { globalSetup: ["test/browser/setup.ts"] })]
      : [
          project("quick", quick, { setupFiles }),
          project("pages", pages, { globalSetup: ["test/entrypoints/pages/build.ts"] }),
          project("thorough", ["test/**/*.test.ts"], {
            setupFiles,
            globalSetup: ["test/browser/setup.ts"],
            exclude: [...exclude, ...quick, ...pages],
          }),
        ],
  },
});
