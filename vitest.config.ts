/** All tests that Node runs, as projects: `npx vitest run --project pages` runs one of them. */
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { reporters } from "./test/run/report.ts";

/**
 * The files that a run takes: those of `npm test`, `npm run test:all` (`*.all.test.ts` too) or `npm run test:long`
 * (`*.long.test.ts` alone).
 */
const files = process.env.UPCUT_FILES ?? "usual";
const isLong = files === "long";

/** The pages of the extension by themselves, in a browser. */
const pages = ["test/entrypoints/**/*.page"];
/** Of core, those that start programs or take their time. */
const slow = [
  "test/core/{cli/{main,upload,upload-pieces},disk/{journal,lease},examples/examples}",
  "test/core/{hls/{fetch-bytes,remuxed-source},http/network-error-tls}",
  "test/core/{journal/{entry,listing},journals/redis,source/{download-silence,url,url-changes}}",
  "test/core/{upload-all,upload/verify}",
  "test/entrypoints/manifest-built*",
];
const units = ["test/core/**/*"];
const modules = ["test/entrypoints/**/*"];
const extension = ["test/e2e/*"];
const firefox = ["test/firefox/*"];
const browsers = ["test/runtimes/*"];

const BUNDLES = "test/run/bundled.ts";
const CHROMIUM = "test/browser/setup.ts";
const POLL = "test/support/poll.ts";
/** The messages of the extension, for tests of its own modules. */
const MESSAGES = "test/support/extension/setup.ts";

/** All files of a worker run in one context: what they import takes as long as they do. */
const IMPORTED_ONCE = false;
/** And have one browser. */
const ONE_BROWSER = false;

function project(
  name: string,
  stems: string[],
  more: NonNullable<TestProjectInlineConfiguration["test"]> = {},
): TestProjectInlineConfiguration {
  const ofKind = (kind: string) => stems.map((stem) => `${stem}${kind}.test.ts`);
  const others = [...(files === "usual" ? ["**/*.all.test.ts"] : []), "**/*.long.test.ts"];
  return {
    extends: true,
    test: {
      name,
      include: ofKind(isLong ? ".long" : ""),
      ...more,
      exclude: ["**/node_modules/**", ...(isLong ? [] : others), ...(more.exclude ?? [])],
    },
  };
}

/** The longest first, so that none runs alone at the end: browsers with the extension, then those with core. */
const FIRST = ["browsers", "extension", "firefox"];

class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification) => FIRST.indexOf(project.name);
    return (await super.sort(specifications)).sort((a, b) => rank(b) - rank(a));
  }
}

const elsewhere = (stems: string[]) => stems.map((stem) => `${stem}${isLong ? ".long" : ""}.test.ts`);

export default defineConfig({
  test: {
    // On two cores three leave a third of the time unused, since tests mostly wait, and five make browsers wait. The long
    // run also measures.
    maxWorkers: isLong ? 1 : 4,
    sequence: { sequencer: LongestFirst },
    // A test waits for events, and as long as it may take at all.
    setupFiles: [POLL],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Content is compared by its sha256: a message shows it whole.
    chaiConfig: { truncateThreshold: 0 },
    reporters,
    projects: [
      project("units", units, { globalSetup: [BUNDLES], exclude: elsewhere(slow), isolate: IMPORTED_ONCE }),
      project("modules", modules, {
        globalSetup: [BUNDLES],
        setupFiles: [MESSAGES],
        unstubGlobals: true,
        exclude: elsewhere([...slow, ...pages]),
        isolate: IMPORTED_ONCE,
      }),
      project(
        "sockets",
        [
          ...slow,
          "test/{faults,fleet,packaging,pages,redis,release,run,service,simulation,support,works-with}/*",
        ],
        {
          globalSetup: [BUNDLES, CHROMIUM],
          isolate: IMPORTED_ONCE,
        },
      ),
      project("pages", pages, {
        globalSetup: [BUNDLES, "test/support/extension/pages/build.ts"],
        isolate: ONE_BROWSER,
      }),
      project("browsers", browsers, { globalSetup: [BUNDLES, CHROMIUM] }),
      project("extension", extension, {
        globalSetup: [BUNDLES, "test/e2e/build.ts"],
        testTimeout: 180_000,
        isolate: ONE_BROWSER,
      }),
      project("firefox", firefox, {
        globalSetup: [BUNDLES, "test/firefox/build.ts"],
        testTimeout: 180_000,
        hookTimeout: 240_000,
      }),
      project("control", ["test/control/*"]),
    ],
  },
});
