import { expect, test } from "vitest";
import { edited } from "../../../core/cli/prompt.ts";

test.each([
  ["a character", "c", "abc|de"],
  ["Backspace", "\x7f", "a|de"],
  ["Ctrl-H", "\b", "a|de"],
  ["Delete", "\x1b[3~", "ab|e"],
  ["Ctrl-D", "\x04", "ab|e"],
  ["Ctrl-U", "\x15", "|de"],
  ["Ctrl-K", "\x0b", "ab|"],
  ["Ctrl-W", "\x17", "|de"],
  ["Left", "\x1b[D", "a|bde"],
  ["Left of some terminals", "\x1bOD", "a|bde"],
  ["Ctrl-B", "\x02", "a|bde"],
  ["Right", "\x1b[C", "abd|e"],
  ["Right of some terminals", "\x1bOC", "abd|e"],
  ["Ctrl-F", "\x06", "abd|e"],
  ["Home", "\x1b[H", "|abde"],
  ["Home of some terminals", "\x1b[1~", "|abde"],
  ["Ctrl-A", "\x01", "|abde"],
  ["End", "\x1b[F", "abde|"],
  ["End of some terminals", "\x1b[4~", "abde|"],
  ["Ctrl-E", "\x05", "abde|"],
  ["another key", "\x1b[15~", "ab|de"],
  ["another control character", "\x07", "ab|de"],
])("%s edits a line", (_, key, line) => {
  const { before, after } = edited({ before: "ab", after: "de" }, key);
  expect(`${before}|${after}`).toBe(line);
});

test("a word is taken back with the blanks behind it, and characters whole", () => {
  expect(edited({ before: "ab cd  ", after: "" }, "\x17").before).toBe("ab ");
  expect(edited({ before: "a👩‍👩‍👧", after: "" }, "\x7f").before).toBe("a");
});
