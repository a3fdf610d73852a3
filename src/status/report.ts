import { counted } from '../base/counted.ts';
import { EXIT } from '../base/exit-code.ts';
import { authorityLine, certificateLine } from './checks/certificate.ts';
import { customResourcesLine } from './checks/custom-resources.ts';
import { inventoryLine, throttledLine } from './checks/inventory.ts';
import { leaderLine } from './checks/leader.ts';
import { orphansLine } from './checks/orphans.ts';
import { exceptionsLine, policiesLine, quotasLine } from './checks/policies.ts';
import { servicesLine } from './checks/services.ts';
import { versionLine } from './checks/version.ts';
import { admissionLine, webhookLine } from './checks/webhook.ts';
import type { StatusFacts } from './facts.ts';
import type { Level, StatusLine } from './line.ts';

/** The status of an installation, or of one Service. */
export interface StatusReport {
  /** The time of the read, in milliseconds since the epoch. */
  readonly at: number;
  readonly lines: readonly StatusLine[];
}

/** The checks of an installation, in the order of their lines. */
const CHECKS: readonly ((facts: StatusFacts) => StatusLine | undefined)[] = [
  versionLine,
  leaderLine,
  webhookLine,
  admissionLine,
  authorityLine,
  certificateLine,
  inventoryLine,
  throttledLine,
  customResourcesLine,
  policiesLine,
  exceptionsLine,
  quotasLine,
  servicesLine,
  orphansLine,
];

/** Returns the status of an installation: runs every check on the facts. */
export const statusReport = (facts: StatusFacts): StatusReport => ({
  at: facts.now,
  lines: CHECKS.flatMap((check) => check(facts) ?? []),
});

const count = ({ lines }: StatusReport, level: Level): number => lines.filter((line) => line.level === level).length;

/** Returns the exit code of `portcullis status`. A failed read takes precedence over wrong lines, as in all commands. */
export function statusExitCode(report: StatusReport): number {
  if (count(report, 'unknown') > 0) return EXIT.failed;
  return count(report, 'wrong') > 0 ? EXIT.findings : EXIT.fine;
}

/** Returns the last line of the status: the numbers of lines that need attention. */
export function statusSummary(report: StatusReport): string {
  const parts = [
    `${count(report, 'wrong')} wrong`,
    counted(count(report, 'notice'), 'notice'),
    `${count(report, 'unknown')} unknown`,
    `${count(report, 'skipped')} skipped`,
  ];
  return `${report.lines.length} lines: ${parts.filter((part) => !part.startsWith('0 ')).join(', ') || 'nothing is wrong'}`;
}

/** Returns the status as data, for `-o json`. */
export const statusJson = (report: StatusReport): object => ({
  at: new Date(report.at).toISOString(),
  isWrong: count(report, 'wrong') > 0,
  isComplete: count(report, 'unknown') === 0,
  lines: report.lines,
});
