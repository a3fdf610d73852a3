import { styled, type TextStyle } from '../base/terminal-style.ts';
import { plain } from '../rules/engine/safe-text.ts';
import { operationOn, type FieldChange, type ChangeOperation, type ResourceChange } from './resource-changes.ts';
import type { LostAddress } from './load-balancer-plan.ts';
import {
  blockedReasons,
  reportedChanges,
  summary,
  type PlannedReport,
  type ServicePlanReport,
} from './plan-summary.ts';

/** The maximum length of a message, in characters. */
const LONGEST = 1_000;

/** The styles of the parts of a diff. */
export interface DiffStyle extends Readonly<Record<ChangeOperation, TextStyle>> {
  readonly strong: TextStyle;
  readonly problem: TextStyle;
  readonly note: TextStyle;
}

export const PLAIN_DIFF: DiffStyle = {
  create: String,
  change: String,
  delete: String,
  strong: String,
  problem: String,
  note: String,
};
export const COLORED_DIFF: DiffStyle = {
  create: styled('green'),
  change: styled('yellow'),
  delete: styled('red'),
  strong: styled('bold'),
  problem: styled('bold', 'red'),
  note: styled('bold', 'yellow'),
};

const SIGNS: Readonly<Record<ChangeOperation, string>> = { create: '+', change: '~', delete: '-' };
const ASSUMED_NOTE = '* assumed: the API server assigns the node port';

/** Marks assumed node ports in a line with `*`: in the names of server groups and in the addresses of backends. */
const marked = (text: string, assumedPorts: readonly number[]): string =>
  assumedPorts.reduce(
    (left, port) => left.replaceAll(new RegExp(`(k8s/|:)${port}(?=[/\\]])`, 'g'), `$1${port}*`),
    text,
  );

function fieldLine(change: FieldChange, style: DiffStyle): string {
  const operation = operationOn(change);
  const values = [change.old, change.new].flatMap((value) => (value === undefined ? [] : [plain(String(value))]));
  return style[operation](`    ${SIGNS[operation]} ${plain(change.field)}: ${values.join(' → ')}`);
}

/** Returns the lines of a change. The first line names the load balancer if the plan changes several load balancers (`isOneOfSeveral`). */
function changeLines(change: ResourceChange, isOneOfSeveral: boolean, style: DiffStyle): readonly string[] {
  const { operation, resource, name, loadBalancer, fields } = change;
  const isPart = isOneOfSeveral && resource !== 'load-balancer' && loadBalancer !== undefined;
  const what = `${operation} ${resource.replace('-', ' ')} ${plain(name)}${isPart ? ` of ${loadBalancer}` : ''}`;
  return [style[operation](`  ${SIGNS[operation]} ${what}`), ...fields.map((field) => fieldLine(field, style))];
}

const LOST: Readonly<Record<LostAddress['reason'], (id: string) => string>> = {
  deleted: (id) => `load balancer ${id} is deleted, and its address is released`,
  detached: (id) => `user-managed load balancer ${id} keeps the address, without the Service`,
};

/** Returns the lines of a plan; empty without changes and problems. */
function planLines(report: PlannedReport, style: DiffStyle): readonly string[] {
  const { denied, lostAddresses, assumedPorts } = report;
  const changes = reportedChanges(report);
  const isSeveral = new Set(changes.map(({ loadBalancer }) => loadBalancer)).size > 1;
  return [
    ...denied.map((why) => style.problem(`  denied: ${plain(why, LONGEST)}`)),
    ...changes.flatMap((change) => changeLines(change, isSeveral, style)).map((line) => marked(line, assumedPorts)),
    ...lostAddresses.map(({ address, loadBalancer, reason }) =>
      style.problem(`  ! lost address ${address}: ${LOST[reason](loadBalancer)}`),
    ),
    ...blockedReasons(report).map((reason) => style.note(`  ${plain(reason, LONGEST)}`)),
    ...(assumedPorts.length === 0 ? [] : [`  ${ASSUMED_NOTE}`]),
  ];
}

const linesOf = (report: ServicePlanReport, style: DiffStyle): readonly string[] =>
  'failure' in report
    ? [style.problem(`  failed: ${plain(report.failure.message, LONGEST)}`)]
    : planLines(report, style);

/** Returns the plans as a diff. In a list of several Services, omits Services without changes and problems. */
export const diffText = (all: readonly ServicePlanReport[], style: DiffStyle = PLAIN_DIFF): string =>
  all
    .map((report) => ({ report, lines: linesOf(report, style) }))
    .filter(({ lines }) => all.length === 1 || lines.length > 0)
    .map(({ report, lines }) => {
      const shown = lines.length === 0 ? ['  no changes'] : lines;
      return [style.strong(`Service ${report.service}`), ...shown, ''].join('\n');
    })
    .join('\n');

/** Returns the output of `portcullis plan`: the plans as a diff, and the numbers of changes in the last line. */
export const planText = (all: readonly ServicePlanReport[], style: DiffStyle): string =>
  [diffText(all, style), `${style.strong(summary(all))}\n`].filter((part) => part !== '').join('\n');
