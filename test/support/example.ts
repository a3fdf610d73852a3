import { parse } from 'yaml';
import type { Service } from '../../src/base/kubernetes-objects.ts';
import { ENFORCE_ALL } from '../../src/policy/policy-decisions.ts';
import { readReview } from '../../webhook/admission/admission-review.ts';
import type { RuleResults } from '../../src/rules/engine/rule-results.ts';
import type { Examples, RuleCard } from '../../src/rules/rule.ts';
import { ALL_RULES, validate } from '../../webhook/admission/validate.ts';
import { aFacts } from './facts.ts';
import { aReview } from './review.ts';

type Kind = 'Service' | 'Node';
type Fields = Readonly<Record<string, unknown>>;

/** Fields that examples omit. */
const WHOLE: Readonly<Record<Kind, Fields>> = {
  Service: {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      type: 'LoadBalancer',
      selector: { app: 'web' },
      ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 }],
    },
  },
  Node: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } },
};

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Merges two maps. For values that are not both maps, the value of `part` is used. */
function merged(base: Fields, part: Fields): Fields {
  const entries = Object.entries(part).map(([key, value]) => {
    const below = base[key];
    return [key, isFields(value) && isFields(below) ? merged(below, value) : value] as const;
  });
  return { ...base, ...Object.fromEntries(entries) };
}

/** Returns a rule's example as a complete object, as in a manifest. */
export const wholeExample = (kind: string, part: string): Fields => merged(WHOLE[kind as Kind], parse(part) as Fields);

/** Returns the object that is stored before the example is applied, if any. A stored Service has a load balancer. */
export function storedBefore(kind: string, { before }: Examples): Fields | undefined {
  if (before === undefined) return undefined;
  const status = { loadBalancer: { ingress: [{ ip: '47.96.0.1' }] } };
  return { ...wholeExample(kind, before), ...(kind === 'Service' ? { status } : {}) };
}

export const exampleServices = ({ cloud }: Examples): readonly Service[] =>
  (cloud?.services ?? []).map((part) => wholeExample('Service', part) as unknown as Service);

/** The kind and the examples of a rule. */
export type Exemplified = Pick<RuleCard, 'kind' | 'examples'>;

/** Returns the webhook's results for an example of a rule, with the stored object and the cloud that the example assumes. */
export function evaluatedExample({ kind, examples }: Exemplified, which: 'wrong' | 'right'): RuleResults {
  const stored = storedBefore(kind, examples);
  const status = stored?.['status'];
  const object = { ...wholeExample(kind, examples[which]), ...(status === undefined ? {} : { status }) };
  const review = readReview(aReview({ object, ...(stored === undefined ? {} : { oldObject: stored }) }));
  return validate(review, {
    facts: aFacts({
      loadBalancers: examples.cloud?.loadBalancers ?? {},
      cluster: examples.cloud?.cluster ?? {},
      services: exampleServices(examples),
    }),
    policy: ENFORCE_ALL,
    rules: ALL_RULES,
    expired: () => false,
  });
}
