import { isTopLevel, nestedPattern, type CommandSpec, type OptionSpec } from './spec.ts';

/** Escapes a text for single quotes, and for the zsh function `_arguments`, which interprets brackets and colons. */
const text = (summary: string): string =>
  summary.replaceAll(/[[\]:\\]/g, (character) => `\\${character}`).replaceAll("'", "'\\''");

function valueOf({ takesValue, takesFile, words, choices }: OptionSpec): string {
  if (!takesValue) return '';
  if (choices.length > 0) return `:value:(${choices.join(' ')})`;
  if (words.length > 0) return `:file:{_alternative "words\\:word\\:(${words.join(' ')})" "files\\:file\\:_files"}`;
  return takesFile ? ':file:_files' : ':value: ';
}

function optionLine(option: OptionSpec): string {
  const { names, summary } = option;
  // A value may follow a long name after =, and a short name without a separator.
  const written = names.map((name) => (option.takesValue ? `${name}${name.startsWith('--') ? '=' : '+'}` : name));
  const exclusive = names.length > 1 ? `'(${names.join(' ')})'{${written.join(',')}}` : `'${written[0] ?? ''}'`;
  return `      ${exclusive}'[${text(summary)}]${valueOf(option)}'`;
}

function commandCase({ name, options, words, takesFiles }: CommandSpec): string {
  const rest = words.length > 0 ? `      '*:name:(${words.join(' ')})'` : takesFiles ? `      '*:file:_files'` : '';
  const lines = [...options.map(optionLine), ...(rest === '' ? [] : [rest])];
  return `    '${name}')\n      _arguments \\\n${lines.map((line) => `  ${line}`).join(' \\\n')}\n      ;;`;
}

/** Returns the completion script for zsh. A user can source the script, or save it as `_portcullis` in a folder of `fpath`. */
export const zshScript = (commands: readonly CommandSpec[]): string => `#compdef portcullis
# Completion of portcullis for zsh. Load it by: source <(portcullis completion zsh)
_portcullis() {
  local -a commands=(
${commands
  .filter(isTopLevel)
  .map(({ name, summary }) => `    '${name}:${text(summary)}'`)
  .join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=\${words[2]}
  shift words
  (( CURRENT-- ))
  if (( CURRENT > 2 )); then
    case "$command \${words[2]}" in
      ${nestedPattern(commands)})
        command="$command \${words[2]}"
        shift words
        (( CURRENT-- ))
        ;;
    esac
  fi
  case $command in
${commands.map(commandCase).join('\n')}
  esac
}
if [ "\${funcstack[1]}" = _portcullis ]; then
  _portcullis "$@"
else
  compdef _portcullis portcullis
fi
`;
