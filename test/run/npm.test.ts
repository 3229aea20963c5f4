import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { npmCommand } from "./npm.ts";

const BESIDE = "C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npm-cli.js";
const NODE = "C:\\Program Files\\nodejs\\node.exe";

test.each([
  ["win32", NODE, undefined, [NODE, BESIDE]],
  ["win32", NODE, "D:\\npm\\bin\\npm-cli.js", [NODE, "D:\\npm\\bin\\npm-cli.js"]],
  ["win32", NODE, "D:\\pnpm\\bin\\pnpm.cjs", [NODE, BESIDE]],
  ["linux", "/usr/bin/node", undefined, ["npm"]],
  [
    "darwin",
    "/usr/bin/node",
    "/usr/lib/npm/bin/npm-cli.js",
    ["/usr/bin/node", "/usr/lib/npm/bin/npm-cli.js"],
  ],
])("npm is started on %s by %s with %s: %j", (system, node, script, command) => {
  expect(npmCommand(system, node, script ?? "")).toEqual(command);
});

test("npm runs without a shell", () => {
  const [program = "", ...args] = npmCommand();
  expect(execFileSync(program, [...args, "--version"], { encoding: "utf8" })).toMatch(/^\d+\./);
});
