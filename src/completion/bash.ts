import { isTopLevel, nestedPattern, type CommandSpec, type OptionSpec } from './spec.ts';

const quoted = (words: readonly string[]): string => `'${words.join(' ')}'`;

const pattern = (command: string, options: readonly OptionSpec[]): string =>
  options.flatMap(({ names }) => names.map((name) => `'${command} ${name}'`)).join(' | ');

/** Returns the `case` branches that complete the values of options. For an option without known values, bash offers files. */
function valueCases({ name, options }: CommandSpec): readonly string[] {
  const valued = options.filter(({ takesValue }) => takesValue);
  const offered = ({ choices, words }: OptionSpec): readonly string[] => [...choices, ...words];
  const chosen = valued.filter((option) => offered(option).length > 0);
  const free = valued.filter((option) => offered(option).length === 0);
  return [
    ...chosen.map((option) => `    ${pattern(name, [option])}) words=${quoted(offered(option))}; options= ;;`),
    ...(free.length === 0 ? [] : [`    ${pattern(name, free)}) words=; options= ;;`]),
  ];
}

const commandCase = ({ name, options, words }: CommandSpec): string =>
  `    '${name}') options=${quoted(options.flatMap(({ names }) => names))}; words=${quoted(words)} ;;`;

/** Returns the completion script for bash 3.2 and later. The script does not need the package `bash-completion`. */
export const bashScript = (
  commands: readonly CommandSpec[],
): string => `# Completion of portcullis for bash. Load it by: source <(portcullis completion bash)
_portcullis() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}
  local words= options=
  # bash takes --option=value for three words.
  if [ "$current" = = ]; then current=; fi
  if [ "$previous" = = ]; then previous=\${COMP_WORDS[COMP_CWORD-2]}; fi
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted(commands.filter(isTopLevel).map(({ name }) => name))} -- "$current")) || :
    return
  fi
  if [ "$COMP_CWORD" -gt 2 ]; then
    case "$command \${COMP_WORDS[2]}" in
      ${nestedPattern(commands)}) command="$command \${COMP_WORDS[2]}" ;;
    esac
  fi
  case $command in
${commands.map(commandCase).join('\n')}
  esac
  case "$command $previous" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case $current in
    -*) words=$options ;;
  esac
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current")) || :
  fi
}
complete -o default -F _portcullis portcullis
`;
