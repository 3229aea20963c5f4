import { expect, test } from "vitest";
import { type Change, nextVersion, notesOf, readChange, sectionOf, withSection } from "../release/changes.ts";

const read = (...messages: string[]): Change[] => messages.flatMap((each) => readChange(each) ?? []);

test.each([
  ["0.1.0", ["fix(core): read a text"], "0.1.1"],
  ["0.1.0", ["feat: show a text"], "0.1.1"],
  ["0.1.3", ["feat!: drop a text", "fix: read it"], "0.2.0"],
  ["0.1.3", ["fix: read it\n\nBREAKING CHANGE: it is a number"], "0.2.0"],
  ["1.2.3", ["fix: read a text"], "1.2.4"],
  ["1.2.3", ["perf: read it once", "feat: show it"], "1.3.0"],
  ["1.2.3", ["refactor(core)!: rename an entry"], "2.0.0"],
  ["1.2.3", ["docs: say more", "test: wait less", "chore: pin a package"], undefined],
  ["1.2.3", [], undefined],
])("after %s, %j makes %s", (version, messages, expected) => {
  expect(nextVersion(version, read(...messages))).toBe(expected);
});

test("a subject without a type is no change", () => {
  expect(readChange("Merge branch main")).toBeUndefined();
  expect(readChange("")).toBeUndefined();
});

test("a section names what breaks first, and leaves out what no user notices", () => {
  const changes = read(
    "fix(core): resume at the right byte",
    "docs: name a command",
    "feat(popup)!: ask before an upload starts",
    "feat: read DASH",
  );
  expect(sectionOf("0.2.0", "2026-11-22", changes)).toBe(
    "## 0.2.0 (2026-11-22)\n\n### Breaking\n\n- **popup**: ask before an upload starts\n\n" +
      "### New\n\n- read DASH\n\n### Fixed\n\n- **core**: resume at the right byte\n",
  );
});

test("a section goes before the earlier ones, and is found again", () => {
  const begin = "# Changes\n\nHow versions are made.\n";
  const first = withSection(begin, sectionOf("0.1.0", "2026-11-22", "first"));
  expect(first).toBe(`${begin}\n## 0.1.0 (2026-11-22)\n\nThe first release.\n`);
  const second = withSection(first, sectionOf("0.1.1", "2026-12-01", read("fix: count right")));
  expect(second.indexOf("## 0.1.1")).toBeLessThan(second.indexOf("## 0.1.0"));
  expect(second).toContain("count right\n\n## 0.1.0");
  expect(notesOf(second, "0.1.1")).toBe("### Fixed\n\n- count right");
  expect(notesOf(second, "0.1.0")).toBe("The first release.");
  expect(notesOf(second, "0.1")).toBeUndefined();
});

test("what was written by hand for the next version goes into its section", () => {
  const begin =
    "# Changes\n\n## Unreleased\n\n| Old | New |\n|---|---|\n| `a` | `b` |\n\n## 0.1.0 (2026-11-22)\n\nThe first release.\n";
  const next = withSection(begin, sectionOf("0.2.0", "2026-12-01", read("feat!: rename a to b")));
  expect(next).not.toContain("Unreleased");
  expect(notesOf(next, "0.2.0")).toBe(
    "### Breaking\n\n- rename a to b\n\n| Old | New |\n|---|---|\n| `a` | `b` |",
  );
  expect(notesOf(next, "0.1.0")).toBe("The first release.");
});
