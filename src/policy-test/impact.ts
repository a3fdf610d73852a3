import type { Finding } from '../rules/engine/evaluate.ts';
import type { RuleResults } from '../rules/engine/rule-results.ts';
import { policyRule } from '../rules/engine/policy-rule.ts';
import { wantsLoadBalancer } from '../rules/engine/subject.ts';
import { suffixOf } from '../annotation/keys.ts';
import type { Clock } from '../base/clock.ts';
import { asCreated } from '../lint/applied-service.ts';
import type { FileFacts } from '../lint/inventory-facts.ts';
import type { NamespaceLabels, Policies } from '../lint/policy/read-policies.ts';
import { createPolicyContext, type PolicyContext } from '../lint/policy/policy-context.ts';
import { rulesFor, lintResultOf, type LintContext } from '../lint/webhook-evaluation.ts';
import { keyOf, type Service } from '../base/kubernetes-objects.ts';
import { ruleOf } from '../policy/compile.ts';
import type { LoadBalancerPolicy } from '../policy/custom-resources.ts';

/** The inputs of `portcullis policy impact`. */
export interface ImpactInputs {
  /** The policies under test. */
  readonly tried: Policies;
  /** The policies under test, and the other policies of the cluster, if the Services come from a cluster. */
  readonly all: Policies;
  readonly services: readonly Service[];
  readonly namespaces: NamespaceLabels;
  /** The inventory of the cloud. Empty if `hasFacts` is false. */
  readonly facts: FileFacts;
  readonly hasFacts: boolean;
  readonly clock: Pick<Clock, 'now'>;
}

export const IMPACT_KINDS = ['denied', 'warned', 'audited', 'defaulted', 'unapplied'] as const;
export type ImpactKind = (typeof IMPACT_KINDS)[number];

/** A Service that a policy affects. */
export interface Affected {
  readonly namespace: string;
  readonly name: string;
  /** The finding, or the default that the policy sets. */
  readonly what: string;
}

/** The effect of one rule or one default of a policy. */
export interface Row {
  readonly policy: string;
  /** A constraint, a quota, a tuned built-in rule, or an annotation with a default. */
  readonly rule: string;
  readonly affected: Readonly<Record<ImpactKind, readonly Affected[]>>;
}

/** The effects of policies on all Services, if the Services were created again. */
export interface Impact {
  readonly services: number;
  readonly namespaces: number;
  /** The namespaces that have Services, but whose labels are unknown. */
  readonly unknown: readonly string[];
  readonly rows: readonly Row[];
}

/** A collector of effects. A Service counts once for each rule and consequence. */
class Rows {
  readonly #rows = new Map<string, Readonly<Record<ImpactKind, Map<string, Affected>>>>();
  readonly #policies = new Map<string, readonly (readonly [policy: string, rule: string])[]>();

  constructor(policies: readonly LoadBalancerPolicy[]) {
    for (const { metadata, spec } of policies) {
      const { name } = metadata;
      for (const each of [...(spec.constraints ?? []), ...(spec.quotas ?? [])])
        this.#open(name, ruleOf(name, each.name));
      for (const { rule } of spec.rules ?? []) this.#open(name, rule);
      for (const { annotation } of spec.defaults ?? []) this.#open(name, defaultOf(name, annotation));
    }
  }

  #open(policy: string, rule: string): void {
    const owners = this.#policies.get(rule) ?? [];
    if (owners.some(([owner]) => owner === policy)) return;
    this.#policies.set(rule, [...owners, [policy, rule]]);
    const empty = IMPACT_KINDS.map((consequence) => [consequence, new Map<string, Affected>()]);
    this.#rows.set(rule, Object.fromEntries(empty) as Record<ImpactKind, Map<string, Affected>>);
  }

  add(rule: string, consequence: ImpactKind, { metadata }: Service, what: string): void {
    const affected = this.#rows.get(rule)?.[consequence];
    const key = keyOf({ metadata });
    if (affected?.has(key) === false) affected.set(key, { namespace: metadata.namespace, name: metadata.name, what });
  }

  /** Returns the rows in the order of the policies and of their rules. */
  all(): readonly Row[] {
    return [...this.#policies].flatMap(([rule, owners]) => {
      const lists = Object.entries(this.#rows.get(rule) ?? {}).map(([consequence, map]) => [
        consequence,
        [...map.values()],
      ]);
      const affected = Object.fromEntries(lists) as Row['affected'];
      return owners.map(([policy]) => ({ policy, rule, affected }));
    });
  }
}

/** Returns the name of a default in the list of rules. */
const defaultOf = (policy: string, annotation: string): string => `policy/${policy}: default of ${annotation}`;

/** Returns the field with its value. For the reason `Forbidden`, which quotas have, returns the detail instead of the value. */
const whatOf = ({ violation: { field, reason, value, detail } }: Finding): string =>
  `${field}: ${reason === 'Forbidden' ? detail : value === '' ? 'not set' : value}`;

/** Adds the findings of a Service to the rows. */
function addFindings(rows: Rows, service: Service, { denials, warnings, audited }: RuleResults): void {
  const kinds = { denied: denials, warned: warnings, audited };
  for (const [consequence, findings] of Object.entries(kinds) as [ImpactKind, readonly Finding[]][]) {
    for (const finding of findings) rows.add(finding.rule.name, consequence, service, whatOf(finding));
  }
}

/** Returns whether a Service exceeds one of the quotas. */
const isOver = (quotas: ReadonlySet<string>, { denials, warnings, audited }: RuleResults): boolean =>
  [...denials, ...warnings, ...audited].some(({ rule }) => quotas.has(rule.name));

/** Returns a Service as if it were created again, without its load balancer. */
const recreated = (service: Service): Service =>
  asCreated({ ...service, metadata: { ...service.metadata, finalizers: [] } });

const ageOf = ({ metadata: { creationTimestamp = '' } }: Service): string => creationTimestamp;
const byAge = (left: Service, right: Service): number =>
  ageOf(left) < ageOf(right) ? -1 : ageOf(left) > ageOf(right) ? 1 : keyOf(left) < keyOf(right) ? -1 : 1;

const quotasOf = ({ policies }: Policies): ReadonlySet<string> =>
  new Set(policies.flatMap(({ metadata, spec }) => (spec.quotas ?? []).map(({ name }) => ruleOf(metadata.name, name))));

/** Returns whether one of the policies applies only to updates. */
const hasChangesOnly = ({ policies }: Policies): boolean =>
  policies.some(({ spec: { match } }) => match?.operations?.includes('CREATE') === false);

/** Returns the policies under test, and the policies of the cluster whose exceptions are under test. */
function affectedPolicies({ tried, all }: Pick<ImpactInputs, 'tried' | 'all'>): readonly LoadBalancerPolicy[] {
  const names = new Set(tried.exceptions.map(({ spec }) => spec.rule.split('/')[1]));
  return all.policies.filter((policy) => tried.policies.includes(policy) || names.has(policy.metadata.name));
}

/** Returns the rules to evaluate: the built-in rules that the policies tune, and the rule `policy` for constraints and quotas. */
function testedRules({ policies }: Policies, hasFacts: boolean): LintContext['rules'] {
  const tuned = new Set(policies.flatMap(({ spec }) => (spec.rules ?? []).map(({ rule }) => rule)));
  return [...rulesFor(hasFacts, false).filter(({ name }) => tuned.has(name)), policyRule];
}

/** Evaluates the creation of a Service, and adds the findings and defaults to the rows. */
function addCreation(
  rows: Rows,
  service: Service,
  context: LintContext,
  over: ReadonlySet<string>,
  policyContext: PolicyContext,
): void {
  const { outcome, defaults, object } = lintResultOf(service, undefined, context);
  addFindings(rows, service, outcome);
  for (const { key, value, policy } of defaults.applied) {
    rows.add(defaultOf(policy, suffixOf(key)), 'defaulted', service, `${suffixOf(key)}: ${value}`);
  }
  for (const { key, why, policy } of defaults.unapplied) {
    rows.add(defaultOf(policy, suffixOf(key)), 'unapplied', service, `${suffixOf(key)}: ${why}`);
  }
  // A Service over a quota would not exist, so the evaluation of later Services does not count this Service.
  if (!isOver(over, outcome)) policyContext.add(object);
}

/** Returns the effects of policies if all Services were created again, the oldest Service first. */
export function impactOf({ tried, all, services, namespaces, facts, hasFacts, clock }: ImpactInputs): Impact {
  const policyContext = createPolicyContext({ ...all, namespaces, services: [], clock });
  const context = { facts, rules: testedRules(tried, hasFacts), policyContext };
  const rows = new Rows(affectedPolicies({ tried, all }));
  const over = quotasOf(all);
  const wanted = services.filter(wantsLoadBalancer).sort(byAge);
  for (const service of wanted) addCreation(rows, recreated(service), context, over, policyContext);
  // Policies that apply only to updates are evaluated as if each Service changed.
  if (hasChangesOnly(tried)) {
    for (const service of wanted)
      addFindings(rows, service, lintResultOf(service, undefined, context, 'UPDATE').outcome);
  }
  const usedNamespaces = new Set(wanted.map(({ metadata }) => metadata.namespace));
  const unknown = [...usedNamespaces].filter((namespace) => !namespaces.has(namespace)).sort();
  return { services: wanted.length, namespaces: usedNamespaces.size, unknown, rows: rows.all() };
}
