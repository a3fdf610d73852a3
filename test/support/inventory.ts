import type { LoadBalancer } from '../../src/clb/model/load-balancer.ts';
import type { LoadBalancerId } from '../../src/clb/model/ids.ts';
import type {
  ClassicLoadBalancer,
  ClassicLoadBalancerStatus,
  CloudInventory,
  CloudInventoryStatus,
} from '../../src/inventory/custom-resources.ts';

/** Returns the status of a public, user-managed load balancer in the inventory. */
export const aClbStatus = (fields: Partial<ClassicLoadBalancerStatus> = {}): ClassicLoadBalancerStatus => ({
  address: '47.96.0.1',
  addressType: 'internet',
  ipVersion: 'ipv4',
  vpcId: '',
  resourceGroupId: 'rg-default',
  bandwidth: 0,
  owner: 'user',
  service: '',
  listeners: [],
  ...fields,
});

/** Returns a load balancer of the inventory as the API server stores it. */
export const aClb = (name: string, fields: Partial<ClassicLoadBalancerStatus> = {}): ClassicLoadBalancer => ({
  apiVersion: 'portcullis.io/v1alpha1',
  kind: 'ClassicLoadBalancer',
  metadata: { name, uid: `uid-${name}`, resourceVersion: '1' },
  status: aClbStatus(fields),
});

/** Returns the singleton of the inventory, by default with a complete observation on 2 January 2026. */
export const aCloudInventory = (fields: Partial<CloudInventoryStatus> = {}): CloudInventory => ({
  apiVersion: 'portcullis.io/v1alpha1',
  kind: 'CloudInventory',
  metadata: { name: 'default', uid: 'uid-default', resourceVersion: '1' },
  status: {
    observedAt: '2026-01-02T03:04:05Z',
    regionId: 'cn-hangzhou',
    vpcId: 'vpc-1',
    clusterId: 'c1',
    clusterCidrs: ['10.0.0.0/16'],
    backendType: 'ecs',
    disablePublicSLB: false,
    ...fields,
  },
});

/** Returns a public load balancer without an owner as the cloud reports it. */
export const aCloudLoadBalancer = (id: string, fields: Partial<LoadBalancer> = {}): LoadBalancer => ({
  id: id as LoadBalancerId,
  name: `name-of-${id}`,
  address: '47.96.0.1',
  addressType: 'internet',
  ipVersion: 'ipv4',
  resourceGroupId: 'rg-default',
  status: 'active',
  tags: {},
  ...fields,
});
