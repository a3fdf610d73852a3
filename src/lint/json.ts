import { countFindings, type LintReport } from './lint.ts';

/** Returns the report for `lint -o json`, which other programs read. */
export function reportJson({ findings, denied, unread, files, services, nodes }: LintReport): string {
  const all = findings.map(({ range, ...finding }) => ({ ...finding, ...range }));
  const { error: errors, warning: warnings } = countFindings(findings);
  const count = { files, services, nodes, errors, warnings };
  return JSON.stringify({ findings: all, denied, unread, summary: count }, undefined, 2);
}
