import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { changeableReuseOf, sharedChangeOf, tagsOf, type Reuse } from './engine/reused-load-balancer.ts';
import { writtenAs } from './engine/written-annotation.ts';

const NONE: readonly Violation[] = [];

/** Protects Services of other namespaces that use the same load balancer. The webhook denies the request, and the controller adds no tag. */
export const reuseTags: Rule = {
  name: 'reuse-tags',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'A Service adds tags to a user-managed load balancer only if no Service of another namespace uses the load balancer. Allowed tags get a warning, because they stay after the annotation or the Service is removed. The rule ignores tags that the load balancer already has.',
  since: '0.1.0',
  examples: {
    cloud: {
      description: 'lb-1 is user-managed, and a Service of another namespace has a listener on it',
      loadBalancers: {
        'lb-1': { owner: 'user', listeners: [{ port: 80, protocol: 'tcp', service: 'payments/pay' }] },
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
      ...{ field, value: `${key}=${value}`, on: reuse.id, about: () => [`tag/${key}`] as const },
      ...(shared === undefined
        ? {
            reason: 'Invalid' as const,
            detail: `adds a tag to load balancer ${reuse.id} that stays after the annotation or the Service is removed`,
            advice: true as const,
          }
        : { ...shared, detail: `the tag ${key} may not be added: ${shared.detail}` }),
    }));
  },
};

/** Returns the requested tags that the inventory does not show on the load balancer. With `onlyNew`, excludes the tags of the stored Service. */
function addedTags(
  { parsed, before }: ServiceSubject,
  reuse: Reuse,
  onlyNew: boolean,
): readonly (readonly [key: string, value: string])[] {
  const there = tagsOf(reuse);
  const was = before?.parsed.options;
  const storedTags = onlyNew && was?.id === reuse.id ? (was.additionalResourceTags ?? {}) : {};
  return Object.entries(parsed.options.additionalResourceTags ?? {}).filter(
    ([key, value]) => !there.has(key) && storedTags[key] !== value,
  );
}
