/** Scripts with which shells complete commands and options, made of the tables of both. */
import { COMMAND_NAMES, COMMANDS, type SHELLS } from "./commands.ts";
import { OPTION_LIST, type OptionFacts, optionsOf } from "./options.ts";

type Named = { name: string; facts: OptionFacts };

export function completionFor(shell: (typeof SHELLS)[number]): string {
  return { bash, zsh, fish, powershell }[shell]();
}

const names = ["help", ...COMMAND_NAMES];
const valued = OPTION_LIST.filter(({ facts }) => facts.value !== undefined);
const common = OPTION_LIST.filter(({ facts }) => facts.of === undefined);
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
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}" command="" prefix="" at
  local words="" options=""
  COMPREPLY=()
  # bash parts words at "=", unless COMP_WORDBREAKS has none.
  if [[ "$word" == "=" ]]; then word=""
  elif [[ "$before" == "=" ]]; then before="\${COMP_WORDS[COMP_CWORD - 2]}"
  elif [[ "$word" == --*=* ]]; then before="\${word%%=*}" prefix="\${word%%=*}=" word="\${word#*=}"
  fi
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in
      ${valued.map(({ name }) => `--${name}`).join("|")})
        if [[ "\${COMP_WORDS[at + 1]}" == "=" ]]; then at=$((at + 1)); fi
        at=$((at + 1)) ;;
      -*) ;;
      *) command="\${COMP_WORDS[at]}"; break ;;
    esac
  done
  case "$before" in
${values.join("\n")}
    *) case "$command" in
      "") words="${names.join(" ")}" options="${common.map(({ name }) => `--${name}`).join(" ")}" ;;
      help) words="${COMMAND_NAMES.join(" ")}" ;;
${cases.join("\n")}
      esac ;;
  esac
  if [[ "$word" == -* ]]; then words="$options"; fi
  COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$word"))
}
complete -o bashdefault -o default -F _upcut upcut
`;
}

function zsh(): string {
  const spec = ({ name, facts: { value, choices, isPath, many, help } }: Named) => {
    const text = help.replace(/[[\]:]/g, "\\$&");
    const values = choices ? `(${choices.join(" ")})` : isPath ? "_files" : " ";
    const takes = value === undefined ? "" : `:${value}:${values}`;
    return quoted(`${many ? "*" : ""}--${name}${takes && "="}[${text}]${takes}`);
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
  local state
  local -a commands=(${[...described, "'help:shows options and examples of a command'"].join("\n      ")})
  _arguments -C ${common.map(spec).join(" \\\n    ")} '1: :->command' '*:: :->rest'
  case "$state" in
    command) _describe command commands ;;
    rest) case "$words[1]" in
    help) _arguments '1:command:(${COMMAND_NAMES.join(" ")})' ;;
${cases.join("\n")}
    esac ;;
  esac
}
if [ "$funcstack[1]" = "_upcut" ]; then _upcut "$@"; else compdef _upcut upcut; fi
`;
}

function fish(): string {
  const line = (condition: string, words: string) => `complete -c upcut -n ${quoted(condition)} ${words}`;
  const isFirst = `not __fish_seen_subcommand_from ${names.join(" ")}`;
  const optionLine = (condition: string, { name, facts }: Named) => {
    const { short, value, choices, isPath, help } = facts;
    const takes = choices ? ` -x -a ${quoted(choices.join(" "))}` : isPath ? " -r -F" : value ? " -x" : "";
    return line(condition, `-l ${name}${short ? ` -s ${short}` : ""}${takes} -d ${quoted(help)}`);
  };
  const lines = ["# fish completion of upcut", `complete -c upcut -n ${quoted(isFirst)} -f`];
  for (const { name, summary } of commands) lines.push(line(isFirst, `-a ${name} -d ${quoted(summary)}`));
  lines.push(line(isFirst, "-a help -d 'shows options and examples of a command'"));
  lines.push(line("__fish_seen_subcommand_from help", `-f -a ${quoted(COMMAND_NAMES.join(" "))}`));
  for (const { name: command, words, options } of commands) {
    const condition = `__fish_seen_subcommand_from ${command}`;
    if (words !== undefined)
      lines.push(line(condition, `-f${words.length > 0 ? ` -a ${quoted(words.join(" "))}` : ""}`));
    lines.push(...options.map((option) => optionLine(condition, option)));
  }
  lines.push(...common.map((option) => optionLine(isFirst, option)));
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
  $last = $before[-1]
  $prefix = ''
  if ($word -cmatch '^(--[a-z0-9-]+)=(.*)$') { $last = $Matches[1]; $prefix = "$last="; $word = $Matches[2] }
  $command = ''
  for ($at = 1; $at -lt $before.Count; $at++) {
    if ($before[$at] -cin ${valued.map(({ name }) => text(`--${name}`)).join(", ")}) { $at++ }
    elseif (-not $before[$at].StartsWith('-')) { $command = $before[$at]; break }
  }
  switch -CaseSensitive ($last) {
${values.join("\n")}
    default { switch -CaseSensitive ($command) {
      '' {
        $words = ${table([...described, ["help", "shows options and examples of a command"]])}
        $options = ${table(common.map(({ name, facts }) => [`--${name}`, facts.help]))}
      }
      'help' { $words = ${table(described)} }
${cases.join("\n")}
    } }
  }
  $found = if ($word.StartsWith('-')) { $options } else { $words }
  $found.GetEnumerator() | Where-Object { $_.Key.StartsWith($word, 'Ordinal') } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new("$prefix$($_.Key)", $_.Key, 'ParameterValue', $_.Value)
  }
}
`;
}
