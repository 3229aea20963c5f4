/** The help, made of the tables of commands and options. */
import { COMMAND_NAMES, COMMANDS, type Command, type CommandFacts } from "./commands.ts";
import { OPTION_LIST, type OptionFacts, optionsOf } from "./options.ts";

const COLUMN = 24;
const COMMON = OPTION_LIST.filter(({ facts }) => facts.of === undefined);
/** Facts for a person who has never used it; the rest is told of each command. */
const ENVIRONMENT = `The token is taken from --token-file, else from UPCUT_TOKEN, UPCUT_TOKEN_FILE or upcut login; else it is asked for
on a terminal. No option takes it, since other users of the machine could see it. They could also see signed
addresses: give those through "-".

Results go to the standard output, everything else to the standard error.
Exit codes: 0 all done; 1 something failed; 2 wrong options; 124 paused by --max-duration;
129 paused by a closed terminal; 130 paused by Ctrl-C; 143 paused by SIGTERM.
`;

export function helpOf(command?: Command): string {
  return command === undefined ? overview() : commandHelp(command, COMMANDS[command]);
}

function overview(): string {
  const rows = COMMAND_NAMES.map((name) => row(`  ${name}`, COMMANDS[name].summary));
  return [
    "Uploads videos to an account of a video service, and ends its live streams.\n",
    "  upcut COMMAND …",
    "  upcut help COMMAND     options and examples of a command\n",
    ...rows,
    "",
    ...COMMON.map(optionRow),
    "",
    ENVIRONMENT,
  ].join("\n");
}

function commandHelp(command: Command, { operands, summary, notes, examples }: CommandFacts): string {
  const own = optionsOf(command).filter(({ facts }) => facts.of !== undefined);
  const blocks = [
    [`upcut ${command}${operands === "" ? "" : ` ${operands}`}`, `  ${summary}`],
    notes,
    own.map(optionRow),
    COMMON.map(optionRow),
    ["Examples", ...examples.map((example) => `  ${example}`)],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function optionRow({ name, facts }: { name: string; facts: OptionFacts }): string {
  const { short, alias, value, help } = facts;
  const words = `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
  return row(`  ${words}`, alias === undefined ? help : `${help}; also --${alias}`);
}

function row(words: string, text: string): string {
  return `${words.padEnd(COLUMN)} ${text}`;
}
