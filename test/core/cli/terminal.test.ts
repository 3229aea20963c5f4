import { afterEach, describe, expect, test, vi } from "vitest";
import { terminalRows } from "../../../core/cli/terminal.ts";
import type { Totals } from "../../../core/many/total-progress.ts";
import type { Progress } from "../../../core/progress/progress.ts";

describe("the rows of a terminal", () => {
  afterEach(() => void vi.unstubAllEnvs());

  test("are two fewer than the terminal has, and one of all uploads", () => {
    vi.useFakeTimers();
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    try {
      const rows = terminalRows();
      // As many as a terminal has that doesn't tell.
      for (let number = 1; number <= 24; number++)
        rows.update({ label: `${number}.mp4`, number }, { state: "sending", sent: 0 } as Progress);
      rows.total({ sources: 24, sent: 0, total: 0, uploaded: 0, alreadyThere: 0, failed: 0 } as Totals);
      vi.advanceTimersByTime(100);
      const drawn = String(write.mock.calls.at(-1)?.[0]).split("\n").slice(0, -1);
      expect(drawn).toHaveLength(23);
      expect(drawn.at(-2)).toContain("22.mp4");
      rows.close();
    } finally {
      write.mockRestore();
      vi.useRealTimers();
    }
  });

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
