import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MARKER } from "../../support/marker.ts";
import { startCliHere } from "../../support/programs/run-here.ts";
import { useFolder } from "../../support/use-folder.ts";

const folder = useFolder("cli-list");

describe("a list", () => {
  const run = (input: string) =>
    startCliHere(
      ["upload", "-", "--json"],
      { UPCUT_URL: "http://127.0.0.1:9", UPCUT_TOKEN: MARKER, UPCUT_JOURNAL: join(folder.path, "journal") },
      input,
    ).ended();
  const failures = (stdout: string) =>
    stdout
      .split("\n")
      .filter((line) => line.includes('"event":"failed"'))
      .map((line) => (JSON.parse(line) as { source: string }).source);

  test("is read without marks and blanks around its lines", async () => {
    const { code, stdout } = await run(
      `\ufeff one.mp4 \r\n\ufeff\n\ufefftwo.mp4\t\n  "https://a.example/${MARKER}"`,
    );
    expect(code).toBe(1);
    expect(failures(stdout).sort()).toEqual(["https://a.example", "one.mp4", "two.mp4"]);
  });

  test("without line ends is refused as one line, and what follows is read", async () => {
    const { code, stdout } = await run(`one.mp4\n${"x".repeat(64 * 1024 * 1024)}\ntwo.mp4`);
    expect(code).toBe(1);
    expect(failures(stdout).sort()).toEqual(["line 2 of the list", "one.mp4", "two.mp4"]);
    expect(stdout).toContain("it is longer than 65536 bytes");
  });
});
