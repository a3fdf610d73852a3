import type {
  LoadBalancerPolicy,
  Mode,
  QuotaDimension,
  QuotaUsage,
  StatusCondition,
} from '../../policy/custom-resources.ts';
import { valueOf } from '../read-result.ts';
import type { StatusFacts } from '../facts.ts';
import { counted } from '../../base/counted.ts';
import { unreadLine, type Level, type StatusLine } from '../line.ts';

const MODES: readonly Mode[] = ['enforce', 'warn', 'audit'];

/** Returns the condition of a policy or an exception. Returns undefined until the controller has evaluated the present generation. */
export function currentCondition(
  type: string,
  { metadata, status }: { readonly metadata: { readonly generation?: number }; readonly status?: Evaluated },
): StatusCondition | undefined {
  const isCurrent = status?.observedGeneration === (metadata.generation ?? status?.observedGeneration);
  return isCurrent ? status?.conditions.find((condition) => condition.type === type) : undefined;
}

/** The part of a status that the controller writes after each evaluation. */
interface Evaluated {
  readonly observedGeneration: number;
  readonly conditions: readonly StatusCondition[];
}

/** Returns the numbers of rules, constraints and quotas of a policy by mode: `enforce 2, warn 1`. */
function modesText({ spec: { rules = [], constraints = [], quotas = [] } }: LoadBalancerPolicy): string {
  const modes = [...rules, ...constraints, ...quotas].map(({ mode = 'enforce' }) => mode);
  const counts = MODES.map((mode) => [mode, modes.filter((each) => each === mode).length] as const);
  const named = counts.filter(([, count]) => count > 0).map(([mode, count]) => `${mode} ${count}`);
  return named.length === 0 ? 'defaults only' : named.join(', ');
}

const violationsOf = ({ status }: LoadBalancerPolicy): number =>
  (status?.violations ?? []).reduce((sum, { services }) => sum + services, 0);

/** The state of one policy, for a detail of the line and for `-o json`. */
interface PolicyState {
  readonly name: string;
  readonly level: Level;
  readonly reason: string;
  readonly modes: string;
  readonly violations: number;
}

function stateOf(policy: LoadBalancerPolicy): PolicyState {
  const ready = currentCondition('Ready', policy);
  const isWrong = ready?.status === 'False';
  const violations = violationsOf(policy);
  return {
    name: policy.metadata.name,
    level: isWrong ? 'wrong' : ready?.reason === 'Accepted' && violations === 0 ? 'ok' : 'notice',
    reason: ready === undefined ? 'not evaluated yet' : isWrong ? `${ready.reason}: ${ready.message}` : ready.reason,
    modes: modesText(policy),
    violations,
  };
}

const worst = (levels: readonly Level[]): Level =>
  (['wrong', 'notice'] as const).find((level) => levels.includes(level)) ?? 'ok';

/** Returns the line `policies` of `portcullis status`: the state of each policy, its modes, and its violations in stored Services. */
export function policiesLine({ policies }: StatusFacts): StatusLine {
  const name = 'policies';
  const unread = unreadLine(name, [policies]);
  if (unread !== undefined) return unread;
  const states = (valueOf(policies) ?? []).map(stateOf);
  const violations = states.reduce((sum, each) => sum + each.violations, 0);
  const level = worst(states.map((each) => each.level));
  return {
    ...{ name, level },
    text:
      states.length === 0
        ? 'none'
        : `${counted(states.length, 'policy', 'policies')}, ${counted(violations, 'violation')} in stored Services`,
    details: states.map(
      ({ name: policy, reason, modes, violations: count }) =>
        `${policy}: ${modes}; ${counted(count, 'violation')}; ${reason}`,
    ),
    ...(level === 'wrong' ? { remedy: 'correct the policy; portcullis policy test checks it' } : {}),
    data: { policies: states },
  };
}

/** Returns the line `exceptions` of `portcullis status`: the exceptions that are not in effect, and the exceptions that expire soon. */
export function exceptionsLine({ exceptions }: StatusFacts): StatusLine {
  const name = 'exceptions';
  const unread = unreadLine(name, [exceptions]);
  if (unread !== undefined) return unread;
  const states = (valueOf(exceptions) ?? []).map((exception) => {
    const active = currentCondition('Active', exception);
    const { rule, expires, owner } = exception.spec;
    return { name: exception.metadata.name, rule, expires, owner, reason: active?.reason ?? 'not evaluated yet' };
  });
  const flagged = states.filter(({ reason }) => reason !== 'Accepted');
  return {
    ...{ name, level: flagged.length > 0 ? 'notice' : 'ok' },
    text: states.length === 0 ? 'none' : counted(states.length, 'exception'),
    details: flagged.map((each) => `${each.name} (${each.owner}): ${each.rule}; ${each.reason}; until ${each.expires}`),
    data: { exceptions: states },
  };
}

/** The minimum used share of the quotas that the line lists. */
const NEARLY_USED = 0.8;

/** The usage of one quota, with the largest used share of its limits. */
interface QuotaRow extends QuotaUsage {
  readonly policy: string;
  readonly share: number;
}

const dimensionsOf = ({ hard }: QuotaUsage): readonly QuotaDimension[] => Object.keys(hard) as QuotaDimension[];

const shareOf = (usage: QuotaUsage): number =>
  Math.max(0, ...dimensionsOf(usage).map((key) => (usage.used[key] ?? 0) / Math.max(usage.hard[key] ?? 0, 1)));

function quotaText({ policy, name, namespace, ...usage }: QuotaRow): string {
  const amounts = dimensionsOf({ name, ...usage }).map(
    (key) => `${key} ${usage.used[key] ?? 0} of ${usage.hard[key] ?? 0}`,
  );
  return `${policy}/${name}${namespace === undefined ? '' : ` in ${namespace}`}: ${amounts.join(', ')}`;
}

/** Returns the line `quotas` of `portcullis status`: the policy quotas that are nearly used up. Returns undefined if no quota is counted. */
export function quotasLine({ policies }: StatusFacts): StatusLine | undefined {
  const rows = (valueOf(policies) ?? []).flatMap(({ metadata, status }) =>
    (status?.usage ?? []).map((usage): QuotaRow => ({ ...usage, policy: metadata.name, share: shareOf(usage) })),
  );
  if (rows.length === 0) return undefined;
  const near = rows.filter(({ share }) => share >= NEARLY_USED).toSorted((one, other) => other.share - one.share);
  return {
    ...{ name: 'quotas', level: near.length > 0 ? 'notice' : 'ok' },
    text: `${counted(rows.length, 'quota is', 'quotas are')} counted, ${near.length} nearly used up`,
    details: near.map(quotaText),
    data: { quotas: rows.map(({ share: _share, ...row }) => row) },
  };
}
