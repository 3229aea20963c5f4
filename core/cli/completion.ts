/** Scripts with which shells complete commands and options, made of the tables of both. */
import { COMMAND_NAMES, COMMANDS, type SHELLS } from "./commands.ts";
import { OPTION_LIST, type OptionFacts, optionsOf } from "./options.ts";

type Named = { name: string; facts: OptionFacts };

export function completionFor(shell: (typeof SHELLS)[number]): string {
  return { bash, zsh, fish, powershell }[shell]();
}

const names = ["help", ...COMMAND_NAMES];
const valued = OPTION_LIST.filter(({ facts }) => facts.value !== undefined);
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const commands = COMMAND_NAMES.map((name) => {
  const { operands, summary } = COMMANDS[name];
  // Operands in small letters are words to be written as they are; without words a shell completes files.
  const words = operands.includes("FILE") ? undefined : (operands.match(/[a-z]+/g) ?? []);
  return { name, summary, words, options: optionsOf(name) };
});

function bash(): string {
  const values = valued.map(({ name, facts: { choices } }) => {
    return `    --${name}) ${choices === undefined ? "return" : `words="${choices.join(" ")}"`} ;;`;
  });
  const cases = commands.map(({ name, words = [], options }) => {
    const flags = options.map((option) => `--${option.name}`);
    return `      ${name}) words="${words.join(" ")}" options="${flags.join(" ")}" ;;`;
  });
  return `# bash completion of upcut
_upcut() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}" command="\${COMP_WORDS[1]}"
  local words="" options=""
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    words="${names.join(" ")}" options="--help --version"
  else
    case "$before" in
${values.join("\n")}
    *) case "$command" in
      help) words="${COMMAND_NAMES.join(" ")}" ;;
${cases.join("\n")}
      esac ;;
    esac
  fi
  if [[ "$word" == -* ]]; then words="$options"; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o bashdefault -o default -F _upcut upcut
`;
}

function zsh(): string {
  const spec = ({ name, facts: { value, choices, isPath, many, help } }: Named) => {
    const text = help.replace(/[[\]:]/g, "\\$&");
    const values = choices ? `(${choices.join(" ")})` : isPath ? "_files" : " ";
    return quoted(`${many ? "*" : ""}--${name}[${text}]${value === undefined ? "" : `:${value}:${values}`}`);
  };
  const cases = commands.map(({ name, words, options }) => {
    const operands =
      words === undefined ? ["'*:file:_files'"] : words.length > 0 ? [`'1:word:(${words.join(" ")})'`] : [];
    const specs = [...options.map(spec), ...operands];
    return `    ${name}) _arguments ${specs.join(" \\\n      ")} ;;`;
  });
  const described = commands.map(({ name, summary }) => quoted(`${name}:${summary}`));
  return `#compdef upcut
_upcut() {
  if (( CURRENT == 2 )); then
    local -a commands=(${[...described, "'help:shows options and examples of a command'"].join("\n      ")})
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case "$words[1]" in
    help) _arguments '1:command:(${COMMAND_NAMES.join(" ")})' ;;
${cases.join("\n")}
  esac
}
if [ "$funcstack[1]" = "_upcut" ]; then _upcut "$@"; else compdef _upcut upcut; fi
`;
}

function fish(): string {
  const line = (condition: string, words: string) => `complete -c upcut -n ${quoted(condition)} ${words}`;
  const isFirst = "__fish_use_subcommand";
  const lines = ["# fish completion of upcut", `complete -c upcut -n ${quoted(isFirst)} -f`];
  for (const { name, summary } of commands) lines.push(line(isFirst, `-a ${name} -d ${quoted(summary)}`));
  lines.push(line(isFirst, "-a help -d 'shows options and examples of a command'"));
  lines.push(line("__fish_seen_subcommand_from help", `-f -a ${quoted(COMMAND_NAMES.join(" "))}`));
  for (const { name: command, words, options } of commands) {
    const condition = `__fish_seen_subcommand_from ${command}`;
    if (words !== undefined)
      lines.push(line(condition, `-f${words.length > 0 ? ` -a ${quoted(words.join(" "))}` : ""}`));
    for (const { name, facts } of options) {
      const { short, value, choices, isPath, help } = facts;
      const takes = choices ? ` -x -a ${quoted(choices.join(" "))}` : isPath ? " -r -F" : value ? " -x" : "";
      lines.push(line(condition, `-l ${name}${short ? ` -s ${short}` : ""}${takes} -d ${quoted(help)}`));
    }
  }
  return `${lines.join("\n")}\n`;
}

/** The script reads `$line` as PowerShell has parsed it; where nothing is found, PowerShell goes on with files. */
function powershell(): string {
  const text = (words: string) => `'${words.replace(/['‘’‚‛]/g, "$&$&")}'`;
  const table = (entries: Iterable<readonly [word: string, meaning: string]>) =>
    `[ordered]@{ ${[...entries].map((entry) => entry.map(text).join(" = ")).join("; ")} }`;
  const asTable = (words: readonly string[]) => table(words.map((word) => [word, word]));
  const described = commands.map(({ name, summary }) => [name, summary] as const);
  const values = valued.map(({ name, facts: { choices } }) => {
    return `      '--${name}' { ${choices === undefined ? "return" : `$words = ${asTable(choices)}`} }`;
  });
  const cases = commands.map(({ name, words = [], options }) => {
    const flags = table(options.map((option) => [`--${option.name}`, option.facts.help]));
    return `        '${name}' { $words = ${asTable(words)}; $options = ${flags} }`;
  });
  return `# PowerShell completion of upcut
Register-ArgumentCompleter -Native -CommandName upcut -ScriptBlock {
  param($word, $line, $cursor)
  $before = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { "$_" })
  $words = @{}
  $options = @{}
  if ($before.Count -lt 2) {
    $words = ${table([...described, ["help", "shows options and examples of a command"]])}
    $options = ${table([
      ["--help", "shows the commands"],
      ["--version", "prints the version"],
    ])}
  } else {
    switch -CaseSensitive ($before[-1]) {
${values.join("\n")}
      default { switch -CaseSensitive ($before[1]) {
        'help' { $words = ${table(described)} }
${cases.join("\n")}
      } }
    }
  }
  $found = if ($word.StartsWith('-')) { $options } else { $words }
  $found.GetEnumerator() | Where-Object { $_.Key.StartsWith($word, 'Ordinal') } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_.Key, $_.Key, 'ParameterValue', $_.Value)
  }
}
`;
}
