import stringWidth from "string-width";
import { afterEach, describe, expect, test, vi } from "vitest";
import { canRedraw, terminalRows } from "../../../core/cli/terminal.ts";
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

  /** The rows that are drawn at a width, and what is written once it is another one. */
  const drawnAt = (columns: number, labels: string[], then = columns) => {
    vi.useFakeTimers();
    vi.stubEnv("NO_COLOR", "1");
    const { columns: before } = process.stderr;
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    try {
      process.stderr.columns = columns;
      const rows = terminalRows();
      for (const [number, label] of labels.entries())
        rows.update({ label, number }, {
          state: "sending",
          sent: 42,
          fraction: 0.42,
          speed: 1e6,
          timeLeft: 9000,
        } as Progress);
      vi.advanceTimersByTime(100);
      const drawn = String(write.mock.calls.at(-1)?.[0]).split("\n").slice(0, -1);
      process.stderr.columns = then;
      process.stderr.emit("resize");
      vi.advanceTimersByTime(100);
      const erased = String(write.mock.calls.at(-2)?.[0]);
      const again = String(write.mock.calls.at(-1)?.[0]).split("\n").slice(0, -1);
      rows.close();
      return { drawn, erased, again };
    } finally {
      write.mockRestore();
      process.stderr.columns = before;
      vi.useRealTimers();
    }
  };
  const LABELS = [
    "film.mp4",
    "日本語の映画".repeat(5),
    "🎬👩‍💻".repeat(20),
    "cafe\u0301.mp4",
    "x".repeat(200),
  ];

  test.each([20, 40, 60, 72, 80, 120, 200])(
    "are no wider than %i columns, and tell the percentage",
    (columns) => {
      const { drawn } = drawnAt(columns, LABELS);
      for (const row of drawn) {
        expect(stringWidth(row)).toBeLessThan(columns);
        expect(row).toContain(" 42 %");
      }
      // The percentages stand below each other, as a terminal draws them.
      expect(new Set(drawn.map((row) => stringWidth(row.slice(0, row.indexOf("42 %"))))).size).toBe(1);
    },
  );

  test("follow the terminal's width, and leave nothing of what it has wrapped", () => {
    const { drawn, erased, again } = drawnAt(120, ["film.mp4"], 40);
    const lines = Math.ceil(stringWidth(drawn[0] ?? "") / 40);
    expect(erased).toBe(`\u001b[${lines}A\r\u001b[J`);
    expect(stringWidth(again[0] ?? "")).toBeLessThan(40);
  });

  test.each([
    ["xterm", true],
    ["dumb", false],
  ])("are for terminals that can redraw: %s, %s", (name, can) => {
    vi.stubEnv("TERM", name);
    const { isTTY } = process.stderr;
    process.stderr.isTTY = true;
    expect(canRedraw()).toBe(can);
    process.stderr.isTTY = isTTY;
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
