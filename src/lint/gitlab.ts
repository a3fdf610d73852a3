import { plain } from '../rules/engine/safe-text.ts';
import { fingerprint, hostPath, findingText } from './code-host-finding.ts';
import type { LintFinding, LintReport } from './lint.ts';

const SEVERITIES: Readonly<Record<LintFinding['level'], string>> = { error: 'major', warning: 'minor', note: 'info' };

const issueOf = (finding: LintFinding): object => ({
  description: plain(findingText(finding), 4_000),
  check_name: finding.rule,
  fingerprint: fingerprint(finding),
  severity: SEVERITIES[finding.level],
  location: {
    path: hostPath(finding.file),
    lines: { begin: finding.range.line, end: finding.range.endLine },
  },
});

/** Returns the report as a code quality report for `lint -o gitlab`. GitLab shows the report in merge requests. */
export const reportGitlab = ({ findings }: LintReport): string => JSON.stringify(findings.map(issueOf), undefined, 2);
