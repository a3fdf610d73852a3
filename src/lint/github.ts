import { plain } from '../rules/engine/safe-text.ts';
import { hostPath, findingText } from './code-host-finding.ts';
import type { LintFinding, LintReport } from './lint.ts';

const COMMANDS: Readonly<Record<LintFinding['level'], string>> = { error: 'error', warning: 'warning', note: 'notice' };

/** Escapes a message. `plain` keeps the message on one line. */
const message = (text: string): string => plain(text, 4_000).replaceAll('%', '%25');
/** Escapes a property, which a colon or a comma would end. */
const property = (text: string): string =>
  plain(text).replaceAll('%', '%25').replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Returns the range of a finding. GitHub accepts columns only for a range within one line. */
function rangeOf({ range }: LintFinding): readonly (readonly [name: string, value: number])[] {
  const lines = [['line', range.line] as const, ['endLine', range.endLine] as const];
  if (range.line !== range.endLine) return lines;
  return [...lines, ['col', range.column], ['endColumn', range.endColumn]];
}

function annotationOf(finding: LintFinding): string {
  const properties = [['file', hostPath(finding.file)] as const, ...rangeOf(finding), ['title', finding.rule] as const];
  const list = properties.map(([name, value]) => `${name}=${property(String(value))}`).join(',');
  return `::${COMMANDS[finding.level]} ${list}::${message(findingText(finding))}\n`;
}

/** Returns the report as workflow commands for `lint -o github`. GitHub shows them as annotations next to the lines of a change. */
export const reportGithub = ({ findings }: LintReport): string => findings.map(annotationOf).join('');
