/** The words of a command line, and help and completion of the same tables. */
import { execFileSync } from "node:child_process";
import { matchesGlob } from "node:path";
import { describe, expect, test } from "vitest";
import { readArguments } from "../../../core/cli/arguments.ts";
import { COMMAND_NAMES, COMMANDS, SHELLS } from "../../../core/cli/commands.ts";
import { completionFor } from "../../../core/cli/completion.ts";
import { globMatcher } from "../../../core/cli/glob.ts";
import { helpOf } from "../../../core/cli/help.ts";
import { OPTION_LIST, optionsOf } from "../../../core/cli/options.ts";
import { UsageError } from "../../../core/cli/usage-error.ts";

describe("readArguments()", () => {
  test("reads values, switches, lists and second names", () => {
    const words = "upload a.mp4 b --at-a-time 2 --limit 1.5M --dry-run -q --exclude a --exclude b/*".split(
      " ",
    );
    const read = readArguments(words);
    expect(read).toMatchObject({
      command: "upload",
      operands: ["a.mp4", "b"],
      atATime: 2,
      bandwidth: 1_500_000,
    });
    expect(read).toMatchObject({ dryRun: true, quiet: true, staticMp4: false, name: undefined, include: [] });
    expect(read.exclude.map((matches) => matches("b/a"))).toEqual([true, true]);
    expect(readArguments(["upload", "a", "--bandwidth", "500k"]).bandwidth).toBe(500_000);
  });

  test.each([
    ["help", "upload"],
    ["upload", "--help"],
    ["upload", "-h", "--mp4"],
  ])("takes %j for a request of help", (...words) => {
    expect(readArguments(words)).toMatchObject({ command: "help", operands: ["upload"] });
  });

  const wrong: [string, string][] = [
    ["", "no command"],
    [
      "uplaod a.mp4",
      "must be upload, list, discard, status, terminate, login, whoami, logout or completion. Did you mean upload?",
    ],
    ["help uplaod", "Did you mean upload?"],
    ["upload a.mp4 --mp5", "--mp5"],
    ["upload a.mp4 --frames", "Unknown option '--frames'"],
    ["upload", "nothing to upload"],
    ["upload a.mp4 b.mp4 --name x", "for one video"],
    ["upload - --name x", "for one video"],
    ["upload - -", "can be read once"],
    ["upload a.mp4 --stdin-name x.mp4", 'give "-" too'],
    ["upload - --stdin-name a/x.mp4", "is no file name"],
    ["upload a --include {a", "a pattern of --include or --exclude can't be read"],
    ["upload a --exclude [z-a]", "a pattern of --include or --exclude can't be read"],
    ["upload a.mp4 --method post", "must be auto, resumable or direct"],
    ["upload a.mp4 --at-a-time 0", '--at-a-time is "0", expected a whole number from'],
    ["upload a.mp4 --at-a-time 101", '"101", expected a whole number from 1 to 100'],
    ["upload a.mp4 --at-a-time a-secret", "--at-a-time is not a number, expected"],
    ["upload a.mp4 --bandwidth 1.5", '--bandwidth is "1.5", expected a number of bytes'],
    ["upload a.mp4 --bandwidth fast", "is not a number, expected a number of bytes, at least"],
    ["list --mp4", "list has no option --mp4"],
    ["discard --all --limit 2M", "discard has no option --limit"],
    ["upload a.mp4 --bandwith 2M", "Did you mean --bandwidth?"],
    ["list a.mp4", "list takes options only"],
    ["whoami me", "whoami takes options only"],
    ["discard", "--all"],
    ["terminate a b", "one stream"],
    ["completion tcsh", "bash, zsh, fish or powershell"],
    ["login --token a-secret", "no option takes the token"],
    // As a shell makes it of a variable that isn't set.
    ["upload ''", "a word after upload is blank"],
    ["discard a.mp4 ''", "a word after discard is blank"],
    ["upload a.mp4 --name ''", "the value of --name is blank"],
    ["upload a --include '' --include b", "the value of --include is blank"],
    ["list --journal ''", "the value of --journal is blank"],
  ];
  test.each(wrong)("refuses %j", (words, sentence) => {
    const given = words.split(" ").filter((word) => word !== "");
    const read = () => readArguments(given.map((word) => (word === "''" ? " " : word)));
    expect(read).toThrow(UsageError);
    expect(read).toThrow(sentence);
    expect(read).not.toThrow(/a-secret|undefined/);
  });
});

describe("the help", () => {
  test("names all commands, and of each command all options, within a line of 120 characters", () => {
    for (const name of COMMAND_NAMES) {
      expect(helpOf()).toContain(`  ${name} `);
      const help = helpOf(name);
      expect(help).toContain(COMMANDS[name].summary);
      for (const option of optionsOf(name)) expect(help).toContain(`--${option.name}`);
      for (const line of `${help}${helpOf()}`.split("\n")) expect(line.length).toBeLessThanOrEqual(120);
    }
    expect(helpOf("list")).not.toContain("--mp4");
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

describe("the completion", () => {
  test.each(SHELLS)("of %s names all commands and options", (shell) => {
    const script = completionFor(shell);
    for (const word of [...COMMAND_NAMES, ...OPTION_LIST.map(({ name }) => name), "resumable"])
      expect(script).toContain(word);
  });

  // As both shells read them: a switch, one of a few words, a path, and one that can be given again.
  test("of zsh and fish tells what an option takes", () => {
    const zsh = completionFor("zsh");
    expect(zsh).toContain("\n      '--quiet[print what fails, and nothing else]' ");
    expect(zsh).toMatch(
      / '--method\[resumable, and auto \(default\)\\: .*\]:METHOD:\(auto resumable direct\)' /,
    );
    expect(zsh).toMatch(/ '--journal\[.*\]:FOLDER:_files' /);
    expect(zsh).toMatch(/ '\*--include\[.* such as '\\''\*\.mov'\\'' .*\]:GLOB: ' /);
    expect(zsh).toMatch(/ '\*:file:_files' ;;/);
    expect(zsh).toContain("'1:word:(bash zsh fish powershell)' ;;");
    const fish = completionFor("fish");
    const upload = "complete -c upcut -n '__fish_seen_subcommand_from upload'";
    expect(fish).toContain(`\n${upload} -l quiet -s q -d 'print what fails, and nothing else'\n`);
    expect(fish).toContain(`\n${upload} -l method -x -a 'auto resumable direct' -d '`);
    expect(fish).toContain(`\n${upload} -l journal -r -F -d '`);
    expect(fish).toContain(`\n${upload} -l include -x -d '`);
    expect(fish).toContain("_from completion' -f -a 'bash zsh fish powershell'\n");
  });

  test.each([
    [["u"], ["upload"]],
    [["help", "wh"], ["whoami"]],
    [["upload", "--dr"], ["--dry-run"]],
    [["list", "--dr"], []],
    [
      ["upload", "--method", ""],
      ["auto", "resumable", "direct"],
    ],
    [["upload", "--name", "--"], []],
    [["completion", "f"], ["fish"]],
    // A shell goes on with files.
    [["upload", "fi"], []],
  ])("of bash makes of %j %j", (words, expected) => {
    const script = `${completionFor("bash")}\nCOMP_WORDS=(upcut "$@"); COMP_CWORD=$#; _upcut; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const completed = execFileSync("bash", ["-c", script, "bash", ...words], { encoding: "utf8" });
    expect(
      completed
        .trim()
        .split("\n")
        .filter((word) => word !== ""),
    ).toEqual(expected);
  });
});

describe("globMatcher()", () => {
  const patterns = [
    "**/*.mp4",
    "a/**",
    "a/*.mp4",
    "a/?.mp4",
    "./a/[bc].mp4",
    "a/[!b].mp4",
    "**/b/**",
    "{a,d}/*.{mp4,mov}",
  ];
  const paths = ["a/b.mp4", "a/c/b.mp4", "d/b.mov", "b.mp4", "a/b/c/d.mp4", "a/e.mp4", "a", "b", "a/(b).mp4"];
  test.each(patterns)("matches as Node itself does: %s", (pattern) => {
    const matches = globMatcher(pattern);
    expect(paths.filter((path) => matches(path))).toEqual(
      paths.filter((path) => matchesGlob(path, pattern.replace("./", ""))),
    );
  });

  test.each([
    ["*.mp4", "2024/CLIP.MP4", true],
    ["clip", "2024/clip", true],
    ["clip", "clip/a.mp4", false],
    ["2024/*", "old/2024/a.mp4", false],
    ["2024/", "2024/may/a.mp4", true],
    ["a\\*b,c.mp4", "x/a*b,c.mp4", true],
    ["a.mp4", "abmp4", false],
    ["ü?.mp4", "ü😀.mp4", true],
  ])("of %j makes of %j %j", (pattern, path, expected) => {
    expect(globMatcher(pattern)(path)).toBe(expected);
  });
});
