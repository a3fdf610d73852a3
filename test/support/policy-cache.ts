import type { Service } from '../../src/base/kubernetes-objects.ts';
import { PolicyCache } from '../../src/policy/policy-cache.ts';
import type {
  LoadBalancerException,
  LoadBalancerPolicy,
  LoadBalancerPolicySpec,
} from '../../src/policy/custom-resources.ts';
import type { Labels } from '../../src/policy/selector.ts';
import { readReview } from '../../webhook/admission/admission-review.ts';
import { TUNABLE } from '../../src/rules/index.ts';
import type { Finding } from '../../src/rules/engine/evaluate.ts';
import { violationMessage } from '../../src/rules/engine/message.ts';
import type { RuleResults } from '../../src/rules/engine/rule-results.ts';
import { ALL_RULES, validate } from '../../webhook/admission/validate.ts';
import { aFacts, type FactsInput } from './facts.ts';
import { aPolicy } from './policy.ts';
import { aReview, type ReviewInput } from './review.ts';
import { watchedDouble, type WatchedDouble } from './watched-cache.ts';

export interface PolicyCacheInput {
  /** Policies by name, as specs, or complete objects. */
  readonly policies?: Readonly<Record<string, LoadBalancerPolicySpec>> | readonly LoadBalancerPolicy[];
  readonly exceptions?: readonly LoadBalancerException[];
  /** The labels of the known namespaces in addition to the name label. Defaults to `shop` with team `shop`. */
  readonly namespaces?: Readonly<Record<string, Labels>>;
  readonly services?: readonly Service[];
  /** Current time, RFC 3339. */
  readonly now?: string;
  readonly warnOnly?: boolean;
}

export interface TestPolicyCache {
  readonly policyCache: PolicyCache;
  readonly services: WatchedDouble<Service>;
  readonly setNow: (now: string) => void;
  readonly setLabels: (namespace: string, labels: Labels | undefined) => void;
}

/** Creates a policy cache as in the webhook, which tests fill directly. The default time is 1 November 2026. */
export function aPolicyCache(input: PolicyCacheInput = {}): TestPolicyCache {
  let now = Date.parse(input.now ?? '2026-11-01T00:00:00Z');
  const namespaces = new Map(Object.entries(input.namespaces ?? { shop: { team: 'shop' } }));
  const services = watchedDouble(input.services);
  const policyCache = new PolicyCache({
    tunable: TUNABLE,
    labelsOf: (namespace) => {
      const labels = namespaces.get(namespace);
      return labels === undefined ? undefined : { ...labels, 'kubernetes.io/metadata.name': namespace };
    },
    services,
    clock: { now: () => now },
    warnOnly: input.warnOnly ?? false,
  });
  const policies = input.policies ?? {};
  const objects = Array.isArray(policies)
    ? (policies as readonly LoadBalancerPolicy[])
    : Object.entries(policies as Readonly<Record<string, LoadBalancerPolicySpec>>).map(([name, spec]) =>
        aPolicy(name, spec),
      );
  for (const policy of objects) policyCache.putPolicy(policy);
  for (const exception of input.exceptions ?? []) policyCache.putException(exception);
  return {
    policyCache,
    services,
    setNow: (text) => {
      now = Date.parse(text);
    },
    setLabels: (namespace, labels) => {
      if (labels === undefined) namespaces.delete(namespace);
      else namespaces.set(namespace, labels);
      policyCache.namespaceChanged(namespace);
    },
  };
}

/** Returns the results of all rules for a request with these policies. */
export const evaluatedWith = (
  { policyCache }: Pick<TestPolicyCache, 'policyCache'>,
  input: ReviewInput,
  facts: FactsInput = {},
): RuleResults =>
  validate(readReview(aReview(input)), {
    facts: aFacts(facts),
    policy: policyCache,
    rules: ALL_RULES,
    expired: () => false,
  });

const lines = (consequence: string, findings: readonly Finding[]): readonly string[] =>
  findings.map(({ rule, violation, note }) =>
    [
      consequence,
      rule.name,
      `${violation.field.replace(/^metadata\.annotations\[.*loadbalancer-/, '[')}=${violation.value}`,
    ]
      .concat(note === undefined ? [] : [`(${note})`])
      .join(' '),
  );

/** Returns every finding as a line: effect, rule, field with its value, and note. */
export const findingTexts = ({ denials, warnings, audited, unevaluated }: RuleResults): readonly string[] => [
  ...lines('deny', denials),
  ...lines('warn', warnings),
  ...lines('audit', audited),
  ...unevaluated.map(({ rule, error }) => `unevaluated ${rule.name} ${String(error)}`),
];

/** Returns the messages of denials. */
export const denied = ({ denials }: RuleResults): readonly string[] => denials.map(violationMessage);
