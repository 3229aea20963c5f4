import { describe, expect, test } from "vitest";
import { readArguments } from "../../../core/cli/arguments.ts";
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
    ["upload a.mp4 --max-duration 60d", '--max-duration is "60d", expected at most 24d'],
    ["list --mp4", "list has no option --mp4"],
    ["discard --all --limit 2M", "discard has no option --limit"],
    ["upload a.mp4 --bandwith 2M", "Did you mean --bandwidth?"],
    ["list a.mp4", "list takes options only"],
    ["whoami me", "whoami takes options only"],
    ["terminate a b", "one stream"],
    ["discard", "give what to discard"],
    ["discard --all a.mp4", "give what to discard"],
    ["status", "give the ids of assets"],
    ["status - -", "can be read once"],
    ["terminate", "one stream"],
    ["completion", "give one shell"],
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
