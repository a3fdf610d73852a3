import type { CommandSpec, OptionSpec } from './spec.ts';

/** Within single quotes, as `_arguments` reads it: brackets and colons have a meaning there. */
const text = (summary: string): string =>
  summary.replaceAll(/[[\]:\\]/g, (character) => `\\${character}`).replaceAll("'", "'\\''");

function valueOf({ takesValue, takesFile, choices }: OptionSpec): string {
  if (!takesValue) return '';
  return choices.length > 0 ? `:value:(${choices.join(' ')})` : takesFile ? ':file:_files' : ':value: ';
}

function optionLine(option: OptionSpec): string {
  const { names, summary } = option;
  const exclusive = names.length > 1 ? `'(${names.join(' ')})'{${names.join(',')}}` : `'${names[0] ?? ''}'`;
  return `      ${exclusive}'[${text(summary)}]${valueOf(option)}'`;
}

function commandCase({ name, options, words, takesFiles }: CommandSpec): string {
  const rest = words.length > 0 ? `      '*:name:(${words.join(' ')})'` : takesFiles ? `      '*:file:_files'` : '';
  const lines = [...options.map(optionLine), ...(rest === '' ? [] : [rest])];
  return `    ${name})\n      _arguments \\\n${lines.map((line) => `  ${line}`).join(' \\\n')}\n      ;;`;
}

/** A script for zsh, to be sourced or to stand in a folder of \`fpath\` as \`_portcullis\`. */
export const zshScript = (commands: readonly CommandSpec[]): string => `#compdef portcullis
# Completion of portcullis for zsh. Load it by: source <(portcullis completion zsh)
_portcullis() {
  local -a commands=(
${commands.map(({ name, summary }) => `    '${name}:${text(summary)}'`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=\${words[2]}
  shift words
  (( CURRENT-- ))
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
