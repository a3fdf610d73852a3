import { cut } from '../terminal.ts';

/** A cause in kubectl's output: a list item, or the text after the name of the object or policy. */
const CAUSE = /^(?:\* |The \w+ "[^"]*" is invalid: |.* denied request: )(\S.*)$/gm;

const WARNING = 'Warning: ';

/** Returns the causes of a denial in kubectl's output, each with its field at the start. */
export const causesIn = (denial: string): readonly string[] =>
  [...denial.matchAll(CAUSE)].map(([, cause = '']) => cause);

/** Returns the field of a cause. Shortens an annotation to its key without the common prefixes, for example `bandwidth`. */
const shortField = (cause: string): string =>
  (/^([^:[]*(?:\[[^\]]*\])?[^:]*):/.exec(cause)?.[1] ?? cause).replace(
    /^metadata\.annotations\[.*?([^/\]]*)\]$/,
    (_, key: string) => key.replace(/^(?:alibaba-cloud|alicloud)-loadbalancer-/, ''),
  );

/** Returns the warnings of a denial and a one-line summary, because the full texts of all denials would repeat much. */
export function foldedDenial(denial: string, width: number): string {
  const lines = denial.split('\n');
  const warnings = lines.filter((line) => line.startsWith(WARNING)).map((line) => `  ${line}`);
  const rest = lines.filter((line) => !line.startsWith(WARNING)).join('\n');
  return [...warnings, `  ${summaryOf(rest)}`].map((line) => cut(line, width)).join('\n');
}

function summaryOf(denial: string): string {
  const [only, ...others] = causesIn(denial);
  if (only === undefined) return `denied: ${denial.trim().replaceAll(/\s+/g, ' ')}`;
  if (others.length === 0) return `denied: ${shortField(only)}${only.slice(only.indexOf(': '))}`;
  return `denied, ${others.length + 1} violations: ${[only, ...others].map(shortField).join(', ')}`;
}
