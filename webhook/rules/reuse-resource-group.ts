import { CATALOGUE } from '../../src/annotation/catalogue.ts';
import type { Rule } from './rule.ts';
import { annotationField } from './engine/listeners.ts';
import { unlessStale } from './engine/age.ts';
import { freeReuseOf } from './engine/reuse.ts';

export const reuseResourceGroup: Rule = {
  name: 'reuse-resource-group',
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: 'A resource group named beside a load balancer to be reused is the one that the load balancer is in; the controller refuses any other.',
  since: '0.1.0',
  needsInventory: true,
  examples: {
    given: {
      said: 'lb-1 is in resource group rg-network',
      loadBalancers: { 'lb-1': { owner: 'nobody', resourceGroupId: 'rg-network' } },
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
    const reuse = freeReuseOf(subject, facts);
    const { options, keys } = subject.parsed;
    const wanted = options.resourceGroupId;
    if (reuse === undefined || wanted === undefined || wanted === reuse.status.resourceGroupId) return [];
    return [
      unlessStale(facts, {
        field: annotationField(keys.get('resourceGroupId') ?? CATALOGUE.resourceGroupId.key),
        found: wanted,
        allowed: `the resource group that load balancer ${reuse.id} is in, and this is another`,
        fix: "remove the annotation, or name the load balancer's own group",
        audit: `${reuse.id} is in resource group ${reuse.status.resourceGroupId}`,
      }),
    ];
  },
};
