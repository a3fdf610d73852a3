import { counted } from '../base/counted.ts';
import { plain } from '../rules/engine/safe-text.ts';
import { countFindings, type LintReport, type LintFinding } from './lint.ts';

/** Functions that highlight text on a terminal. In a file, text stays unchanged. */
export interface Style {
  readonly strong: (text: string) => string;
  readonly error: (text: string) => string;
  readonly warning: (text: string) => string;
  readonly note: (text: string) => string;
}

/** Formats a finding for `lint -o text` as a line, as compilers do: `web.yaml:12:7: error: Service shop/web: spec.ports: …`. */
export function findingLine({ file, range, level, object, field, message }: LintFinding, style: Style): string {
  const where = style.strong(`${plain(file)}:${range.line}:${range.column}:`);
  const what = [plain(object), field, message].filter((part) => part !== '').join(': ');
  return `${where} ${style[level](`${level}:`)} ${what}`;
}

/** The maximum number of names in a line. The line ends with the number of further names. */
const MOST_NAMES = 10;

/** Returns a line with names. Returns no line if there are no names. */
function lineOf(what: string, all: readonly string[]): readonly string[] {
  if (all.length === 0) return [];
  const names = all.slice(0, MOST_NAMES).map((name) => plain(name));
  const more = all.length - names.length;
  return [`${what}: ${names.join(', ')}${more === 0 ? '' : ` and ${more} more`}`];
}

function uncheckedLine({ unchecked, hasFacts }: LintReport): readonly string[] {
  if (unchecked === 0) return [];
  const why = hasFacts ? 'the facts contain no CloudInventory, so their age is unknown' : 'set --facts';
  return [`reused load balancers of ${counted(unchecked, 'Service')} not checked: ${why}`];
}

/**
 * Returns the summary, which `lint` prints last: the files that are not completely evaluated, the denied objects, and the numbers of objects and
 * findings.
 */
export function summary(report: LintReport): string {
  const { findings, files, services, nodes, denied, unread } = report;
  const { error, warning, note } = countFindings(findings);
  const notes = note === 0 ? '' : `, ${counted(note, 'note')}`;
  const evaluated = `${counted(services, 'Service')} and ${counted(nodes, 'Node')} in ${counted(files, 'file')}`;
  const lines = [
    ...lineOf('error: not completely evaluated', unread),
    ...lineOf('would be denied', denied),
    `${evaluated}: ${counted(error, 'error')}, ${counted(warning, 'warning')}${notes}`,
    ...uncheckedLine(report),
  ];
  return lines.join('\n');
}
