import type { Fault, Rule, ServiceSubject } from './rule.ts';
import { changeableReuseOf, sharedChangeOf, tagsOf, type Reuse } from './engine/reuse.ts';
import { writtenAs } from './engine/written.ts';

const NONE: readonly Fault[] = [];

export const reuseTags: Rule = {
  name: 'reuse-tags',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'A Service adds tags to a user-managed load balancer only while no Service of another namespace uses it. Until then they are only warned of, because they stay when the annotation or the Service goes. Tags that the load balancer has already are no change.',
  since: '0.1.0',
  examples: {
    given: {
      said: 'a Service of another namespace has a listener on lb-1, which a user has made',
      loadBalancers: {
        'lb-1': { owner: 'nobody', listeners: [{ port: 80, protocol: 'tcp', service: 'payments/pay' }] },
      },
    },
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-additional-resource-tags: "team=shop"
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
`,
  },
  check: (subject, facts) => {
    const reuse = changeableReuseOf(subject, facts);
    if (reuse === undefined) return NONE;
    const shared = sharedChangeOf(subject, reuse, facts);
    const { field } = writtenAs('additionalResourceTags', subject);
    return addedTags(subject, reuse, shared === undefined).map(([key, value]) => ({
      ...{ field, found: `${key}=${value}`, on: reuse.id, about: () => [`tag/${key}`] as const },
      ...(shared ?? {
        allowed: `a tag that load balancer ${reuse.id} has: another stays when the annotation or the Service goes`,
        fix: 'leave it if that is meant, or remove it and tag the load balancer in the cloud',
        advice: true as const,
      }),
    }));
  },
};

/** The tags that a load balancer does not have, as far as is known; `onlyNew`: nor did the stored Service give them. */
function addedTags(
  { parsed, before }: ServiceSubject,
  reuse: Reuse,
  onlyNew: boolean,
): readonly (readonly [key: string, value: string])[] {
  const there = tagsOf(reuse);
  const was = before?.parsed.options;
  const given = onlyNew && was?.id === reuse.id ? (was.additionalResourceTags ?? {}) : {};
  return Object.entries(parsed.options.additionalResourceTags ?? {}).filter(
    ([key, value]) => !there.has(key) && given[key] !== value,
  );
}
