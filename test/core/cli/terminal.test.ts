import { afterEach, describe, expect, test, vi } from "vitest";
import { terminalRows } from "../../../core/cli/terminal.ts";

describe("the rows of a terminal", () => {
  afterEach(() => void vi.unstubAllEnvs());

  test.each([
    [{ NO_COLOR: "1" }, false],
    [{ TERM: "dumb" }, false],
    // A build server sets it, and the standard output is no terminal here: neither takes them away.
    [{ CI: "1" }, true],
  ])("have colours with %o: %s", (variables, hasColours) => {
    for (const [name, value] of Object.entries({ NO_COLOR: "", TERM: "xterm", ...variables }))
      vi.stubEnv(name, value);
    expect(terminalRows().red("a").includes("\u001b[31m")).toBe(hasColours);
  });
});
