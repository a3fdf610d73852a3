import type { OptionName } from '../annotation/catalogue.ts';
import type { ClassicLoadBalancerStatus } from '../inventory/resource.ts';
import type { Violation, Rule } from './rule.ts';
import { asSeen } from './engine/age.ts';
import { freeReuseOf } from './engine/reuse.ts';
import { writtenAs } from './engine/written.ts';

const NONE: readonly Violation[] = [];

const FIX = 'remove the annotation, or name a load balancer that has it';

const COMPARED: readonly (readonly [OptionName, (status: ClassicLoadBalancerStatus) => string])[] = [
  ['addressType', ({ addressType }) => addressType],
  ['ipVersion', ({ ipVersion }) => ipVersion],
  ['ip', ({ address }) => address],
];

export const reuseAddress: Rule = {
  name: 'reuse-address',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'An address, address type or IP version named beside a load balancer to be reused is what the load balancer has: none can be changed.',
  since: '0.1.0',
  needsInventory: true,
  examples: {
    given: {
      said: 'lb-1 is on the internet',
      loadBalancers: {
        'lb-1': { owner: 'user', addressType: 'internet', listeners: [{ port: 80, protocol: 'tcp' }] },
      },
    },
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type: "intranet"
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type: "internet"
`,
  },
  check: (subject, facts) => {
    const reuse = freeReuseOf(subject, facts);
    if (reuse === undefined) return NONE;
    const { options } = subject.parsed;
    return COMPARED.flatMap(([option, hasOf]) => {
      const wanted = options[option];
      const has = hasOf(reuse.status);
      if (wanted === undefined || wanted === has) return NONE;
      const whose = `load balancer ${reuse.id}`;
      const said =
        option === 'ip'
          ? {
              allowed: `the address that ${whose} has, and this is another`,
              audit: `${reuse.id} has the address ${has}`,
            }
          : { allowed: `${has}, which ${whose} has` };
      return [asSeen(facts, { ...writtenAs(option, subject), ...said, fix: FIX, on: reuse.id })];
    });
  },
};
