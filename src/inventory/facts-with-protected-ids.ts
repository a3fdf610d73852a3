import type { Facts } from './facts.ts';
import type { ClassicLoadBalancerStatus } from './custom-resources.ts';

/** The status of a protected load balancer that the inventory does not contain. */
const NOT_IN_INVENTORY: ClassicLoadBalancerStatus = {
  address: '',
  addressType: 'internet',
  ipVersion: 'ipv4',
  vpcId: '',
  resourceGroupId: '',
  owner: 'api-server',
  service: '',
  listeners: [],
};

/** Returns facts in which the load balancers of `--protected-load-balancers` are protected, even without an inventory. */
export const withProtected = (facts: Facts, ids: ReadonlySet<string>): Facts => ({
  freshness: () => facts.freshness(),
  cluster: () => facts.cluster(),
  portHolders: (id) => facts.portHolders(id),
  groupClaims: (id, group) => facts.groupClaims(id, group),
  sharedWith: (id, namespace) => facts.sharedWith(id, namespace),
  ownedBy: (service) => facts.ownedBy(service),
  boundTo: (service) => facts.boundTo(service),
  loadBalancer: (id) => {
    const status = facts.loadBalancer(id);
    return ids.has(id) ? { ...(status ?? NOT_IN_INVENTORY), owner: 'api-server' } : status;
  },
});
