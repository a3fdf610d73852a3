import { plain } from '../rules/engine/safe-text.ts';
import { counted } from '../base/counted.ts';
import { IMPACT_KINDS, type Affected, type ImpactKind, type Impact, type Row } from './impact.ts';

/** The maximum number of listed Services of a namespace, and of listed namespaces. The report only counts further Services and namespaces. */
const MOST = 10;

const VERBS: Readonly<Record<ImpactKind, string>> = {
  denied: 'would be denied',
  warned: 'would get a warning',
  audited: 'would be written to the audit log',
  defaulted: 'would get the default',
  unapplied: 'cannot get the default',
};

const capped = (items: readonly string[], most: number, noun: string): readonly string[] =>
  items.length <= most ? items : [...items.slice(0, most), `and ${counted(items.length - most, noun)} more`];

const byCount = (
  [left, ofLeft]: readonly [string, readonly unknown[]],
  [right, ofRight]: readonly [string, readonly unknown[]],
): number => ofRight.length - ofLeft.length || (left < right ? -1 : 1);

/** Groups Services by namespace. The namespaces with the most Services come first. */
const grouped = (affected: readonly Affected[]): readonly (readonly [string, readonly Affected[]])[] =>
  [...Map.groupBy(affected, ({ namespace }) => namespace)].sort(byCount);

function consequenceLines(consequence: ImpactKind, affected: readonly Affected[], all: boolean): readonly string[] {
  if (affected.length === 0) return [];
  const most = all ? Infinity : MOST;
  const namespaces = grouped(affected).flatMap(([namespace, services]) => {
    const lines = services.map(({ name, what }) => `      ${plain(name)}  ${plain(what)}`);
    return [
      `    ${plain(namespace)}: ${services.length}\n${capped(lines, most, 'Service')
        .map((line) => (line.startsWith(' ') ? line : `      ${line}`))
        .join('\n')}`,
    ];
  });
  const shown = capped(namespaces, most, 'namespace').map((line) => (line.startsWith(' ') ? line : `    ${line}`));
  return [`  ${counted(affected.length, 'Service')} ${VERBS[consequence]}`, ...shown];
}

/** Returns the heading of a rule. The heading of a built-in rule begins with the policy that tunes the rule. */
const headingOf = ({ policy, rule }: Row): string =>
  rule.startsWith('policy/') ? rule : `policy/${policy}: rule ${rule}`;

const rowLines = (row: Row, all: boolean): readonly string[] => {
  const lines = IMPACT_KINDS.flatMap((consequence) => consequenceLines(consequence, row.affected[consequence], all));
  return lines.length === 0 ? [`${headingOf(row)}\n  nothing`] : [headingOf(row), ...lines];
};

const unknownLine = ({ unknown }: Impact): readonly string[] =>
  unknown.length === 0
    ? []
    : [
        `\nThe labels of ${counted(unknown.length, 'namespace')} are unknown, so policies with a namespaceSelector only warn there: include the namespaces in --services.`,
      ];

const servicesWith = ({ rows }: Impact, consequence: ImpactKind): number =>
  new Set(rows.flatMap(({ affected }) => affected[consequence].map(({ namespace, name }) => `${namespace}/${name}`)))
    .size;

/** Returns the output of `policy impact` as text, by rule and namespace. `all` lists every Service. */
export function impactText(impact: Impact, all: boolean): string {
  const rows = impact.rows.flatMap((row) => rowLines(row, all));
  const denied = servicesWith(impact, 'denied');
  const total = `Of ${counted(impact.services, 'Service')} in ${counted(impact.namespaces, 'namespace')}, ${denied} would be denied if created now, ${servicesWith(impact, 'warned')} get a warning, ${servicesWith(impact, 'defaulted')} get defaults.`;
  const stays = 'Stored Services stay: if a Service with a violation changes, the violation only warns.';
  return [...rows, ...unknownLine(impact), '', total, stays].join('\n');
}

/** Returns the output of `policy impact` as JSON, with all Services. */
export const impactJson = (impact: Impact): string =>
  JSON.stringify(
    {
      ...impact,
      rows: impact.rows.map(({ policy, rule, affected }) => ({
        policy,
        rule,
        counts: Object.fromEntries(IMPACT_KINDS.map((consequence) => [consequence, affected[consequence].length])),
        ...affected,
      })),
      summary: Object.fromEntries(IMPACT_KINDS.map((consequence) => [consequence, servicesWith(impact, consequence)])),
    },
    undefined,
    2,
  );
