import { CATALOGUE, ENTRIES, type OptionName } from '../../src/annotation/catalogue.ts';
import { suffixOf } from '../../src/annotation/keys.ts';
import type { Fault, Rule, ServiceSubject } from './rule.ts';
import { changeableReuseOf, sharedChangeOf, type SharedChange } from './engine/reuse.ts';
import { isPermanent } from './reuse-irreversible.ts';
import { writtenAs } from './engine/written.ts';

const NONE: readonly Fault[] = [];

/** Attributes of a load balancer that are applied to a user-managed one as well; tags have a rule of their own. */
const ATTRIBUTES: readonly OptionName[] = ENTRIES.filter(
  ([option, { appliesTo, onReused }]) =>
    appliesTo.includes('load-balancer') && onReused === 'applied' && option !== 'additionalResourceTags',
).map(([option]) => option);

export const reuseAttribute: Rule = {
  name: 'reuse-attribute',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'A Service changes the name, size, billing or protection of a user-managed load balancer only while no Service of another namespace uses it. Until then such an annotation is only warned of. Without the webhook, the controller blocks these changes and syncs the rest of the Service.',
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
    return ATTRIBUTES.filter((option) => !isPermanent(option, subject.parsed.options)).flatMap((option) =>
      attributeFault(option, reuse.id, subject, shared),
    );
  },
};

function attributeFault(
  option: OptionName,
  id: string,
  subject: ServiceSubject,
  shared: SharedChange | undefined,
): readonly Fault[] {
  const { parsed, before } = subject;
  const value = parsed.options[option];
  const was = before?.parsed.options;
  const isDone = was?.id === id && was[option] === value;
  if (value === undefined || (isDone && shared === undefined)) return NONE;
  const what = suffixOf(CATALOGUE[option].key);
  const fault = { ...writtenAs(option, subject), on: id, about: () => [`annotation/${option}`] as const };
  if (shared !== undefined) return [{ ...fault, ...shared }];
  return [
    {
      ...fault,
      allowed: `what load balancer ${id} has: its ${what} changes for every Service that uses it`,
      fix: 'remove it, unless that is meant',
      advice: true,
    },
  ];
}
