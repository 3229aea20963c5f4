import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { COMMAND_NAMES, SHELLS } from "../../../core/cli/commands.ts";
import { completionFor } from "../../../core/cli/completion.ts";
import { OPTION_LIST } from "../../../core/cli/options.ts";

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
      / '--method=\[resumable, and auto \(default\)\\: .*\]:METHOD:\(auto resumable direct\)' /,
    );
    expect(zsh).toMatch(/ '--journal=\[.*\]:FOLDER:_files' /);
    expect(zsh).toMatch(/ '\*--include=\[.* such as '\\''\*\.mov'\\'' .*\]:GLOB: ' /);
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
    // As bash parts it, and as it doesn't where COMP_WORDBREAKS has no "=".
    [["upload", "--method", "=", "d"], ["direct"]],
    [
      ["upload", "--method", "="],
      ["auto", "resumable", "direct"],
    ],
    [["upload", "--method=d"], ["--method=direct"]],
    // Words behind options.
    [["--json", "up"], ["upload"]],
    [["--journal", "upload", "li"], ["list"]],
    [["--journal", "=", "x", "list", "--al"], ["--all"]],
    [["upload", "a.mp4", "--name", "x", "--dr"], ["--dry-run"]],
    [["--js"], ["--json"]],
    [["--json", "completion", "--url", "x", "z"], ["zsh"]],
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
