import { cut } from '../terminal.ts';

/** The pattern of a cause in kubectl's output: a list item, or the text after the object's name or the policy if it is the only cause. */
const CAUSE = /^(?:\* |The \w+ "[^"]*" is invalid: |.* denied request: )(\S.*)$/gm;

/** Returns the causes of a denial in kubectl's output, each with its field at the start. */
export const causesIn = (denial: string): readonly string[] =>
  [...denial.matchAll(CAUSE)].map(([, cause = '']) => cause);

/** Returns a field without the common prefixes of annotations. */
const shortField = (cause: string): string =>
  (/^([^:[]*(?:\[[^\]]*\])?[^:]*):/.exec(cause)?.[1] ?? cause).replace(
    /^metadata\.annotations\[.*?([^/\]]*)\]$/,
    (_, key: string) => key.replace(/^(?:alibaba-cloud|alicloud)-loadbalancer-/, ''),
  );

/** Returns a denial on one line: the only cause, or the fields of all causes. */
export function foldedDenial(denial: string, width: number): string {
  const causes = causesIn(denial);
  const [only] = causes;
  if (causes.length > 1)
    return cut(`  denied, ${causes.length} violations: ${causes.map(shortField).join(', ')}`, width);
  const text =
    only === undefined ? denial.trim().replaceAll(/\s+/g, ' ') : `${shortField(only)}${only.slice(only.indexOf(': '))}`;
  return cut(`  denied: ${text}`, width);
}
