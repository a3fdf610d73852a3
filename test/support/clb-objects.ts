import type { LoadBalancerId, ServerId, VServerGroupId } from '../../src/clb/model/ids.ts';
import type { DesiredListener, ObservedListener } from '../../src/clb/model/listener.ts';
import type { LoadBalancer } from '../../src/clb/model/load-balancer.ts';
import { listenerName, ownerTags, serverGroupName, type Owner } from '../../src/clb/model/naming.ts';
import type { EcsBackend, VServerGroupWithBackends } from '../../src/clb/model/server-group.ts';
import type { Observed, Present } from '../../src/clb/model/desired-and-observed-state.ts';

/** The Service `shop/web` of cluster `c1`, whose load balancer is by default named `OWN_NAME`. Unit tests of plans use it. */
export const OWNER: Owner = {
  uid: '5e4dbfc9-c2ae-4642-b033-5607860aef6a',
  name: 'web',
  namespace: 'shop',
  clusterId: 'c1',
};
export const OWN_NAME = 'a5e4dbfc9c2ae4642b0335607860aef6';
export const LB_ID = 'lb-own' as LoadBalancerId;

/** Returns the name of a node port's server group. */
export const groupName = (nodePort: number): string => serverGroupName(OWNER, nodePort);
export const groupId = (nodePort: number): VServerGroupId => `rsp-${String(nodePort)}` as VServerGroupId;

export const aBackend = (server: string, nodePort: number, over: Partial<EcsBackend> = {}): EcsBackend => ({
  type: 'ecs',
  serverId: server as ServerId,
  port: nodePort,
  weight: 100,
  description: groupName(nodePort),
  ...over,
});

/** Returns a wanted TCP listener on `port` for the group of node port 30000 + `port`. */
export const aListener = (port: number, over: object = {}): DesiredListener => ({
  protocol: 'tcp',
  port,
  description: listenerName(OWNER, port),
  group: groupName(30_000 + port),
  ...over,
});

export const anObservedListener = (port: number, over: object = {}): ObservedListener => ({
  protocol: 'tcp',
  port,
  description: listenerName(OWNER, port),
  status: 'running',
  scheduler: 'rr',
  bandwidth: -1,
  groupId: groupId(30_000 + port),
  ...over,
});

export const anObservedGroup = (nodePort: number, servers: readonly string[] = ['i-1']): VServerGroupWithBackends => ({
  id: groupId(nodePort),
  name: groupName(nodePort),
  backends: servers.map((server) => aBackend(server, nodePort)),
});

/** Returns a load balancer of `OWNER` as created without annotations. */
export const aLoadBalancer = (over: Partial<LoadBalancer> = {}): LoadBalancer => ({
  id: LB_ID,
  name: OWN_NAME,
  address: '47.0.0.1',
  addressType: 'internet',
  ipVersion: 'ipv4',
  status: 'active',
  instanceChargeType: 'PayByCLCU',
  internetChargeType: 'paybytraffic',
  deleteProtection: 'on',
  modificationProtection: 'ConsoleProtection',
  tags: ownerTags(OWNER),
  ...over,
});

/** Returns the desired state of `OWNER` with port 80 and the single backend `i-1`. */
export const aPresent = (over: Partial<Present> = {}): Present => ({
  kind: 'present',
  owner: OWNER,
  use: { kind: 'owned' },
  attributes: {},
  creation: { name: OWN_NAME, addressType: 'internet' },
  tags: {},
  isTagsComplete: false,
  groups: [{ name: groupName(30_080), backends: [aBackend('i-1', 30_080)] }],
  listeners: [aListener(80)],
  defaultScheduler: 'rr',
  ignoreWeights: false,
  problems: [],
  ...over,
});

/** Returns the observed state after `aPresent()` is applied. */
export const anObserved = (over: Partial<Observed> = {}): Observed => ({
  loadBalancer: aLoadBalancer(),
  groups: [anObservedGroup(30_080)],
  listeners: [anObservedListener(80)],
  ...over,
});
