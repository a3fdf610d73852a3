import { objectKey } from '../../../src/base/kubernetes-objects.ts';
import type { Settled } from './large-cluster.ts';
import { CREATED, loadBalancerId, publicAddress, uid } from './names.ts';

/** Returns the inventory object of a Service's load balancer, so that the inventory pass of the controller finds nothing to write. */
export const inventoryOf = ({ service }: Settled, at: number) => ({
  metadata: { name: loadBalancerId(at), uid: uid(10, at), resourceVersion: String(at + 1), creationTimestamp: CREATED },
  status: {
    address: publicAddress(at),
    addressType: 'internet' as const,
    ipVersion: 'ipv4' as const,
    vpcId: '',
    resourceGroupId: 'rg-default',
    owner: 'this-cluster' as const,
    service: objectKey(service.metadata.name, service.metadata.namespace),
    listeners: [],
  },
});
