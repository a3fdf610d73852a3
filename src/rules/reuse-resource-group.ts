import type { Violation, Rule } from './rule.ts';
import { unlessStale } from './engine/stale-facts.ts';
import { freeReuseOf } from './engine/reused-load-balancer.ts';
import { writtenAs } from './engine/written-annotation.ts';

const NONE: readonly Violation[] = [];

/** Only warns while the inventory is stale, because users can move a load balancer to another resource group. */
export const reuseResourceGroup: Rule = {
  name: 'reuse-resource-group',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'The annotation resource-group-id of a Service that reuses a load balancer names the resource group of that load balancer.',
  since: '0.1.0',
  needsInventory: true,
  examples: {
    cloud: {
      description: 'lb-1 is in resource group rg-network',
      loadBalancers: {
        'lb-1': { owner: 'user', resourceGroupId: 'rg-network', listeners: [{ port: 80, protocol: 'tcp' }] },
      },
    },
    wrong: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-resource-group-id: "rg-shop"
`,
    right: `metadata:
  annotations:
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id: "lb-1"
    service.beta.kubernetes.io/alibaba-cloud-loadbalancer-resource-group-id: "rg-network"
`,
  },
  check: (subject, facts) => {
    const wanted = subject.parsed.options.resourceGroupId;
    const reuse = wanted === undefined ? undefined : freeReuseOf(subject, facts);
    if (wanted === undefined || reuse === undefined) return NONE;
    const { resourceGroupId } = reuse.status;
    if (resourceGroupId === '' || resourceGroupId === wanted) return NONE;
    return [
      unlessStale(facts, {
        ...writtenAs('resourceGroupId', subject),
        reason: 'Invalid' as const,
        detail: `must be the resource group of load balancer ${reuse.id}`,
        remedy: 'correct or remove the annotation',
        on: reuse.id,
        audit: `${reuse.id} is in resource group ${resourceGroupId}`,
      }),
    ];
  },
};
