/**
 * The tests of core for Bun or Deno, whichever runs vitest. `npm test` takes those of what branches by runtime, and
 * `npm run test:all` every one.
 */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { reporters } from "../run/report.ts";

/** Sources, requests and transports, disk, journals, examples and the command line. */
const BY_RUNTIME = [
  "test/core/{cli/walks,examples/examples,redaction/hidden-secrets,service/broken-answers}.test.ts",
  "test/core/disk/{claim,journal,source}.test.ts",
  "test/core/http/{hostile-answers,limited-body,proxy,tls}.test.ts",
  "test/core/{journal/{journal,lease},journals/redis}.test.ts",
  "test/core/source/{byte-sources,file-changes,file-state}.test.ts",
  "test/core/transfer/{first-contact,interruptions,request,transport}.test.ts",
];
const isAll = process.env.UPCUT_FILES === "all";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: isAll ? ["test/core/**/*.test.ts"] : BY_RUNTIME,
    exclude: ["**/*.long.test.ts"],
    globalSetup: ["test/run/bundled.ts"],
    setupFiles: ["test/support/poll.ts", "test/runtimes/inside.ts"],
    maxWorkers: 2,
    // All files of a worker run in one context: what they import takes longer than they do.
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    chaiConfig: { truncateThreshold: 0 },
    reporters,
  },
});
