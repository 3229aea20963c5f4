import { describe, expect, test } from "vitest";
import { readArguments } from "../../../core/cli/arguments.ts";
import { COMMAND_NAMES, COMMANDS, type CommandFacts } from "../../../core/cli/commands.ts";
import { helpOf } from "../../../core/cli/help.ts";
import { optionsOf } from "../../../core/cli/options.ts";

describe("the help", () => {
  test("names all commands, and of each command all options, within a line of 120 characters", () => {
    for (const name of COMMAND_NAMES) {
      expect(helpOf()).toContain(`  ${name} `);
      const help = helpOf(name);
      const { summary, notes, examples }: CommandFacts = COMMANDS[name];
      expect(examples).not.toEqual([]);
      for (const line of [summary, ...notes, ...examples]) expect(help).toContain(line);
      for (const option of optionsOf(name)) expect(help).toContain(`--${option.name}`);
      for (const line of `${help}${helpOf()}`.split("\n")) expect(line.length).toBeLessThanOrEqual(120);
    }
    expect(helpOf("list")).not.toContain("--mp4");
  });

  test("of a command has its notes before its options, and its examples last", () => {
    const help = helpOf("discard").split("\n");
    const at = (beginning: string) => help.findIndex((line) => line.startsWith(beginning));
    expect(help[0]).toBe("upcut discard KEY… | FILE… | ADDRESS… | --all");
    const order = [at("KEY is the first column of upcut list."), at("  --all"), at("Examples")];
    expect(order.toSorted((one, other) => one - other)).toEqual(order);
    expect(help.slice(at("Examples"))).toEqual([
      "Examples",
      "  upcut discard 0a1b2c3d4e5f",
      "  upcut discard film.mp4",
      "  upcut discard --all",
      "",
    ]);
  });

  test("shows examples that can be read", () => {
    const examples = COMMAND_NAMES.flatMap((name) => COMMANDS[name].examples as readonly string[]);
    for (const example of examples) {
      const [, words = ""] = /upcut ([^<>#)|]*)/.exec(example) ?? [];
      expect(() =>
        readArguments(words.trim().replaceAll("'", "").replace("Launch film", "x").split(/ +/)),
      ).not.toThrow();
    }
  });
});
