import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const folders: string[] = [];

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

test.each([
  ["a hook", "hook", "hook.fixture.ts: the hook failed"],
  ["what stands outside of tests", "outside", "nobody awaits this"],
  ["the runtime itself", "crash", "ended with SIGKILL"],
  ["a test", "flaky", "flaky.fixture.ts > passes at its second try: expected true to be false"],
])("a failure of %s has a second try and is named", async (_what, name, reason) => {
  const { code, secondTries, failures } = await runFixture(name);
  expect(secondTries).toContain(reason);
  expect({ code, failures }).toEqual({ code: 0, failures: "" });
});

test("a test that fails twice fails the run, and is shown with where it was thrown", async () => {
  const { code, secondTries, failures } = await runFixture("broken");
  expect({ code, secondTries }).toEqual({ code: 1, secondTries: "" });
  expect(failures).toMatch(
    /^test\/second-try\/fixture\/broken\.fixture\.ts > never passes: expected 1 to be 2/,
  );
  expect(failures).toContain("fixture/broken.fixture.ts:3");
});

test("a test with one try has no second one", async () => {
  const { code, secondTries, failures } = await runFixture("one-try");
  expect({ code, secondTries }).toEqual({ code: 1, secondTries: "" });
  expect(failures).toContain("one-try.fixture.ts > has one try");
});

test("content that differs has no second try, not even in a hook", async () => {
  const { code, secondTries, failures } = await runFixture("content");
  expect({ code, secondTries }).toEqual({ code: 1, secondTries: "" });
  expect(failures).toContain("content.fixture.ts");
});

async function runFixture(name: string): Promise<{ code: number; secondTries: string; failures: string }> {
  const folder = await mkdtemp(join(tmpdir(), "upcut-fixture-"));
  folders.push(folder);
  const [tried, failed] = [join(folder, "second-tries.txt"), join(folder, "failures.txt")];
  const vitest = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--config",
    "test/second-try/fixture/vitest.config.ts",
  ];
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "test/second-try/run.ts", process.execPath, ...vitest, `${name}.fixture`],
    {
      cwd: ROOT,
      stdio: "ignore",
      env: { ...process.env, UPCUT_SECOND_TRIES: tried, UPCUT_FAILURES: failed, UPCUT_FIXTURE: folder },
    },
  );
  const code = await new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? -1)));
  const [secondTries = "", failures = ""] = await Promise.all(
    [tried, failed].map((path) => readFile(path, "utf8").catch(() => "")),
  );
  return { code, secondTries, failures };
}
