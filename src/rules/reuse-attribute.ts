import { CATALOGUE, ENTRIES, type OptionName } from '../annotation/catalogue.ts';
import { suffixOf } from '../annotation/keys.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { changeableReuseOf, sharedChangeOf, type SharedChange } from './engine/reused-load-balancer.ts';
import { isIrreversible } from './reuse-irreversible.ts';
import { writtenAs } from './engine/written-annotation.ts';

const NONE: readonly Violation[] = [];

/** Attributes that the controller also applies to user-managed load balancers, except tags, which the rule `reuse-tags` checks. */
const ATTRIBUTES: readonly OptionName[] = ENTRIES.filter(
  ([option, { appliesTo, onReused }]) =>
    appliesTo.includes('load-balancer') && onReused === 'applied' && option !== 'additionalResourceTags',
).map(([option]) => option);

/** Protects Services of other namespaces that use the same load balancer. The webhook denies the request, and the controller keeps the attribute. */
export const reuseAttribute: Rule = {
  name: 'reuse-attribute',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'A Service changes the name, size, billing or protection of a user-managed load balancer only if no Service of another namespace uses the load balancer. An allowed change gets a warning. If the webhook is unavailable, the controller blocks such changes and syncs the rest of the Service.',
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
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-delete-protection: "off"
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
    return ATTRIBUTES.filter((option) => !isIrreversible(option, subject.parsed.options)).flatMap((option) =>
      attributeViolation(option, reuse.id, subject, shared),
    );
  },
};

function attributeViolation(
  option: OptionName,
  id: string,
  subject: ServiceSubject,
  shared: SharedChange | undefined,
): readonly Violation[] {
  const { parsed, before } = subject;
  const value = parsed.options[option];
  const was = before?.parsed.options;
  const isDone = was?.id === id && was[option] === value;
  if (value === undefined || (isDone && shared === undefined)) return NONE;
  const what = suffixOf(CATALOGUE[option].key);
  const base = { ...writtenAs(option, subject), on: id, about: () => [`annotation/${option}`] as const };
  if (shared !== undefined) return [{ ...base, ...shared }];
  return [
    {
      ...base,
      reason: 'Invalid',
      detail: `changes the ${what} of load balancer ${id} for every Service that uses it`,
      advice: true,
    },
  ];
}
