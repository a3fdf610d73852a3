import type { OptionName, Options } from '../annotation/catalogue.ts';
import type { Facts } from '../inventory/facts.ts';
import type { Violation, Rule, ServiceSubject } from './rule.ts';
import { changeableReuseOf, tagsOf, type Reuse } from './engine/reused-load-balancer.ts';
import { writtenAs } from './engine/written-annotation.ts';

const NONE: readonly Violation[] = [];

/** Returns whether an option requests an irreversible change of the load balancer. */
export const isIrreversible = (option: OptionName, options: Options): boolean =>
  option === 'instanceChargeType' && options[option] === 'PayByCLCU';

/** Cannot be tuned, because nothing can undo the change. The webhook denies the request, and the controller keeps the attribute. */
export const reuseIrreversible: Rule = {
  name: 'reuse-irreversible',
  kind: 'Service',
  tier: 'hygiene',
  tunable: false,
  doc: 'A Service cannot make an irreversible change of a user-managed load balancer: from PayBySpec to PayByCLCU, or of the value of an existing tag. The controller never makes such a change, even if the Service is stored.',
  since: '0.1.0',
  examples: {
    cloud: {
      description: 'lb-1 is user-managed and has the tag team=search',
      loadBalancers: {
        'lb-1': {
          owner: 'user',
          listeners: [{ port: 80, protocol: 'tcp' }],
          tags: [{ key: 'team', value: 'search' }],
        },
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
    return reuse === undefined ? NONE : [...chargeViolations(subject, reuse, facts), ...tagViolations(subject, reuse)];
  },
};

function chargeViolations(subject: ServiceSubject, { id }: Reuse, facts: Facts): readonly Violation[] {
  const option = 'instanceChargeType';
  const { options } = subject.parsed;
  if (!isIrreversible(option, options) || facts.loadBalancer(id)?.instanceChargeType === options[option]) return NONE;
  return [
    {
      ...writtenAs(option, subject),
      on: id,
      reason: 'Forbidden',
      detail: `a change of user-managed load balancer ${id} to PayByCLCU cannot be undone`,
      remedy: 'remove the annotation; the owner of the load balancer can change it in the cloud',
      partial: true,
      about: () => [`annotation/${option}`],
    },
  ];
}

function tagViolations(subject: ServiceSubject, reuse: Reuse): readonly Violation[] {
  const there = tagsOf(reuse);
  const { field } = writtenAs('additionalResourceTags', subject);
  const overwritten = Object.entries(subject.parsed.options.additionalResourceTags ?? {}).filter(
    ([key, value]) => there.has(key) && there.get(key) !== value,
  );
  return overwritten.map(([key, value]) => ({
    ...{ field, reason: 'Forbidden' as const, value: `${key}=${value}`, on: reuse.id },
    detail: `user-managed load balancer ${reuse.id} has another value of the tag ${key}`,
    remedy: 'use another key; the owner of the load balancer can change the value in the cloud',
    partial: true as const,
    about: () => [`tag/${key}`] as const,
  }));
}
