import type { OptionName } from '../annotation/catalogue.ts';
import type { ClassicLoadBalancerStatus } from '../inventory/custom-resources.ts';
import type { Violation, Rule } from './rule.ts';
import { freeReuseOf } from './engine/reused-load-balancer.ts';
import { writtenAs } from './engine/written-annotation.ts';

const NONE: readonly Violation[] = [];

const REMEDY = 'remove the annotation, or use a load balancer with this value';

const COMPARED: readonly (readonly [OptionName, (status: ClassicLoadBalancerStatus) => string])[] = [
  ['addressType', ({ addressType }) => addressType],
  ['ipVersion', ({ ipVersion }) => ipVersion],
  ['ip', ({ address }) => address],
];

/** Compares with the inventory. Without this rule, a Service could request an address that its load balancer never gets. */
export const reuseAddress: Rule = {
  name: 'reuse-address',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'The annotations ip, address-type and ip-version match a reused load balancer, because the controller cannot change them.',
  since: '0.1.0',
  needsInventory: true,
  examples: {
    cloud: {
      description: 'lb-1 is public',
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
      const parts =
        option === 'ip'
          ? {
              detail: `must be the address of load balancer ${reuse.id}`,
              audit: `${reuse.id} has the address ${has}`,
            }
          : { detail: `must be ${has}, as load balancer ${reuse.id} is` };
      return [{ ...writtenAs(option, subject), reason: 'Invalid' as const, ...parts, remedy: REMEDY, on: reuse.id }];
    });
  },
};
