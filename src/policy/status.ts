import { counted } from '../base/counted.ts';
import type { PolicyCache } from './policy-cache.ts';
import type { CompiledPolicy, Problem } from './compile.ts';
import { contradictionsIn, contradictionWarnings, type Contradiction } from './contradictions.ts';
import type { PolicySet } from './namespace-policies.ts';
import { quotaUsage } from './quota-usage.ts';
import { deniedIn } from './denied-defaults.ts';
import { modesAt } from './enforcement.ts';
import type { LoadBalancerPolicy, LoadBalancerPolicyStatus, Mode } from './custom-resources.ts';
import { statusConditionOf, problemsText, type ConditionState } from './status-condition.ts';
import type { StoredLabels } from './stored-labels.ts';
import { violationsOf, type ViolationsByRule } from './violation-counts.ts';

/** The maximum number of rules that a message names. */
const MOST_RULES = 5;
/** The state of the cluster that the statuses of all policies and exceptions need. Gathered once for all statuses. */
export interface StatusInputs {
  readonly policyCache: PolicyCache;
  /** The namespaces that each policy selects. A policy without an entry selects none. */
  readonly selected: ReadonlyMap<CompiledPolicy, readonly string[]>;
  readonly sets: ReadonlySet<PolicySet>;
  readonly labels: StoredLabels;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The violations in stored Services. Undefined until the Services are evaluated. */
  readonly locations?: ViolationsByRule;
}

/** Gathers the inputs for the statuses of all policies and exceptions, right before the policy controller or `lint` computes the statuses. */
export function gatherStatusInputs(
  policyCache: PolicyCache,
  labels: StoredLabels,
  now: number,
  locations?: ViolationsByRule,
): StatusInputs {
  const selected = new Map<CompiledPolicy, string[]>();
  const sets = new Set<PolicySet>();
  for (const namespace of labels.namespaces) {
    const set = policyCache.setFor(namespace);
    sets.add(set);
    for (const { policy } of set.members) {
      const known = selected.get(policy);
      if (known === undefined) selected.set(policy, [namespace]);
      else known.push(namespace);
    }
  }
  return { policyCache, selected, sets, labels, now, ...(locations === undefined ? {} : { locations }) };
}

// The results depend only on immutable policies, so they are computed once.
const warnings = new WeakMap<CompiledPolicy, readonly Problem[]>();
const conflicts = new WeakMap<PolicySet, readonly Contradiction[]>();
const deniedDefaults = new WeakMap<PolicySet, ReadonlyMap<CompiledPolicy, readonly Problem[]>>();

/** Caches a result for an immutable key. */
function cached<Key extends object, Result>(cache: WeakMap<Key, Result>, key: Key, work: (key: Key) => Result): Result {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const result = work(key);
  cache.set(key, result);
  return result;
}

/** Returns the contradictions among the constraints that apply to all Services of a namespace. */
const conflictsIn = ({ members }: PolicySet): readonly Contradiction[] =>
  contradictionsIn(
    members
      .filter(({ policy }) => policy.services === undefined && policy.operations === undefined)
      .flatMap(({ policy }) => policy.constraints),
  );

/** Returns a few names of conflicting constraints, of the policy and of other policies, and the number of further constraints. */
function namedOf(rules: readonly string[], own: ReadonlySet<string>): string {
  const [ours, others] = [rules.filter((rule) => own.has(rule)), rules.filter((rule) => !own.has(rule))];
  const some = ours.slice(0, Math.max(1, MOST_RULES - others.length));
  const named = [...some, ...others.slice(0, MOST_RULES - some.length)].sort();
  const more = rules.length - named.length;
  return more === 0 ? named.join(' and ') : `${named.join(', ')} and ${more} more`;
}

const distinct = (problems: readonly Problem[]): readonly Problem[] => [
  ...new Map(problems.map((problem) => [`${problem.path}: ${problem.message}`, problem])).values(),
];

/** Returns the conflicts of a policy with other policies that select a common namespace. */
function conflictsOf(policy: CompiledPolicy, { sets }: StatusInputs): readonly Problem[] {
  const own = new Set(policy.constraints.map(({ rule }) => rule));
  const found = [...sets].flatMap((set) => cached(conflicts, set, conflictsIn));
  const problems = found
    .filter(({ rules }) => rules.some((rule) => own.has(rule)) && rules.some((rule) => !own.has(rule)))
    .map(({ about, rules }) => ({
      path: namedOf(rules, own),
      message: `no value of ${about} meets these constraints`,
    }));
  return distinct(problems);
}

/** Returns the defaults of a policy that another policy denies. */
const deniedDefaultsOf = (policy: CompiledPolicy, { sets }: StatusInputs): readonly Problem[] =>
  distinct([...sets].flatMap((set) => cached(deniedDefaults, set, deniedIn).get(policy) ?? []));

function stateOf(policy: CompiledPolicy, inputs: StatusInputs, selected: readonly string[]): ConditionState {
  if (policy.problems.length > 0)
    return { status: 'False', reason: 'PartiallyInvalid', message: problemsText(policy.problems) };
  const problems = [
    ...cached(warnings, policy, contradictionWarnings),
    ...conflictsOf(policy, inputs),
    ...deniedDefaultsOf(policy, inputs),
  ];
  if (problems.length > 0) return { status: 'False', reason: 'Conflicted', message: problemsText(problems) };
  if (selected.length === 0 && policy.namespaces !== undefined) {
    return { status: 'False', reason: 'NoMatches', message: 'no namespace has the labels that the policy selects' };
  }
  const message = `applies to ${counted(selected.length, 'namespace')}`;
  if (policy.services === undefined || inputs.labels.hasService(policy) !== false)
    return { status: 'True', reason: 'Accepted', message };
  return {
    status: 'True',
    reason: 'NoMatches',
    message: `${message}, but no Service there has the labels that the policy selects`,
  };
}

/** Returns the present modes of the rules, constraints and quotas of a policy. */
function modesOf({ rules, constraints, quotas }: CompiledPolicy, { policyCache, now }: StatusInputs): readonly Mode[] {
  const enforcements = [...rules.values(), ...[...constraints, ...quotas].map(({ enforcement }) => enforcement)];
  return modesAt(enforcements, now, policyCache.mode() === 'warn');
}

/** Returns the fields about violations. Until the Services are evaluated, the violations that an earlier leader recorded stay. */
function violationFields(
  policy: CompiledPolicy,
  { locations }: StatusInputs,
  selected: readonly string[],
  status: LoadBalancerPolicyStatus | undefined,
): Pick<LoadBalancerPolicyStatus, 'violations' | 'totalViolations'> {
  const earlier = status?.observedGeneration === policy.generation ? status.violations : undefined;
  const violations = locations === undefined ? earlier : violationsOf(policy, locations, selected);
  if (violations === undefined) return {};
  return { violations, totalViolations: violations.reduce((sum, { services }) => sum + services, 0) };
}

/** Returns the status of a policy. Returns undefined if the policy is not known yet. */
export function policyStatus(
  { metadata, status }: LoadBalancerPolicy,
  inputs: StatusInputs,
): LoadBalancerPolicyStatus | undefined {
  const policy = inputs.policyCache.policy(metadata.name);
  if (policy === undefined) return undefined;
  const selected = inputs.selected.get(policy) ?? [];
  const mode = modesOf(policy, inputs).join(',');
  const state = stateOf(policy, inputs, selected);
  return {
    observedGeneration: policy.generation,
    namespaces: selected.length,
    conditions: [statusConditionOf('Ready', state, policy.generation, status?.conditions, inputs.now)],
    ...(policy.quotas.length === 0 ? {} : { usage: quotaUsage(policy, inputs.policyCache, selected) }),
    ...(mode === '' ? {} : { mode }),
    ...violationFields(policy, inputs, selected, status),
  };
}
