import {
  aPicture,
  called,
  withMetadata,
  USER_MANAGED,
  testInvariant,
  stored,
} from '../../../support/invariants/history-builders.ts';
import { foreignResources } from '../../../support/invariants/invariants/foreign-resources.ts';

const annotation = (suffix: string): string => `service.beta.kubernetes.io/alibaba-cloud-loadbalancer-${suffix}`;
const plain = stored(undefined, withMetadata());
const reusing = stored(undefined, withMetadata({ annotations: { [annotation('id')]: USER_MANAGED.id } }));
const overriding = stored(
  undefined,
  withMetadata({
    annotations: { [annotation('id')]: USER_MANAGED.id, [annotation('force-override-listeners')]: 'true' },
  }),
);
const OURS = 'k8s/80/web/shop/c1';
/** The name of the same Service in another cluster that uses the load balancer. */
const OTHER_CLUSTER = 'k8s/80/web/shop/c2';
/** The name of another Service of this cluster that does not use the load balancer. */
const NEIGHBOURS = 'k8s/80/vault/bank/c1';
const backend = (serverId: string, description?: string) => ({ serverId, serverIp: undefined, port: 80, description });
const hers = aPicture({
  ...USER_MANAGED,
  listeners: [
    { port: 80, protocol: 'tcp', description: OURS },
    { port: 443, protocol: 'tcp', description: 'hers' },
    { port: 8080, protocol: 'tcp', description: OTHER_CLUSTER },
    { port: 8081, protocol: 'tcp', description: NEIGHBOURS },
  ],
  groups: [
    { id: 'rsp-ours', name: OURS, backends: [backend('i-1', OURS)] },
    { id: 'rsp-hers', name: 'hers', backends: [backend('i-1', OURS), backend('i-2'), backend('i-3', OTHER_CLUSTER)] },
    { id: 'rsp-mixed', name: OURS, backends: [backend('i-1', OURS), backend('i-2', 'hers')] },
    { id: 'rsp-abroad', name: OTHER_CLUSTER, backends: [] },
    { id: 'rsp-neighbours', name: NEIGHBOURS, backends: [] },
  ],
});
/** An owned load balancer with two listeners of a user: for the Service's group, and for the user's group. */
const own = aPicture({
  listeners: [
    { port: 80, protocol: 'tcp', description: '', groupId: 'rsp-ours' },
    { port: 443, protocol: 'tcp', description: 'hers', groupId: 'rsp-hers' },
  ],
  groups: [
    { id: 'rsp-ours', name: OURS, backends: [] },
    { id: 'rsp-hers', name: 'hers', backends: [] },
  ],
});
const listener = (port: number, target = hers) =>
  called('DeleteLoadBalancerListener', { target, parameters: { ListenerPort: String(port) } });
const group = (action: string, id: string) => called(action, { target: hers, parameters: { VServerGroupId: id } });
const members = (action: string, id: string, ...serverIds: readonly string[]) =>
  called(action, {
    target: hers,
    parameters: {
      VServerGroupId: id,
      BackendServers: JSON.stringify(serverIds.map((ServerId) => ({ ServerId, Port: '80', Description: OURS }))),
    },
  });
const removal = (...serverIds: readonly string[]) =>
  members('RemoveVServerGroupBackendServers', 'rsp-hers', ...serverIds);

/** A change of another owner's resource interrupts traffic that the controller does not know. */
testInvariant(foreignResources, {
  keep: {
    'an owned load balancer is deleted': [plain, ...called('DeleteLoadBalancer', { target: aPicture() })],
    'the resources of the Service on a reused load balancer are deleted': [
      reusing,
      ...listener(80),
      ...group('DeleteVServerGroup', 'rsp-ours'),
    ],
    'backends of the Service are removed from a user-managed group': [reusing, ...removal('i-1')],
    'a backend is added to a user-managed group': [
      reusing,
      ...members('AddVServerGroupBackendServers', 'rsp-hers', 'i-9'),
    ],
    "a user's listener for the Service's group is changed on the owned load balancer": [plain, ...listener(80, own)],
    'a listener is deleted after the Service no longer names the load balancer': [
      reusing,
      stored(withMetadata({ annotations: { [annotation('id')]: USER_MANAGED.id } }), withMetadata()),
      ...listener(80),
    ],
    'a user changes a user-managed load balancer': [
      plain,
      ...called('DeleteLoadBalancer', { target: hers, userAgent: 'test' }),
    ],
    "a UDP listener on the port of a user's TCP listener is changed": [
      reusing,
      ...called('SetLoadBalancerUDPListenerAttribute', { target: hers, parameters: { ListenerPort: '443' } }),
    ],
  },
  break: {
    'a load balancer that no Service names is changed': [plain, ...called('SetLoadBalancerName', { target: hers })],
    'a reused load balancer is deleted': [reusing, ...called('DeleteLoadBalancer', { target: hers })],
    "a user's listener is deleted": [reusing, ...listener(443)],
    "a user's listener is deleted for a Service with force-override-listeners": [overriding, ...listener(443)],
    'a listener for a user-managed group is changed on an owned load balancer': [plain, ...listener(443, own)],
    'a listener of another cluster is deleted': [reusing, ...listener(8080)],
    'a listener of a Service without a reference to the load balancer is deleted': [reusing, ...listener(8081)],
    "a user's listener is stopped": [
      reusing,
      ...called('StopLoadBalancerListener', { target: hers, parameters: { ListenerPort: '443' } }),
    ],
    'a user-managed group is deleted': [reusing, ...group('DeleteVServerGroup', 'rsp-hers')],
    'a user-managed group is renamed': [
      reusing,
      ...called('SetVServerGroupAttribute', {
        target: hers,
        parameters: { VServerGroupId: 'rsp-hers', VServerGroupName: OURS },
      }),
    ],
    'a group of another cluster is deleted': [reusing, ...group('DeleteVServerGroup', 'rsp-abroad')],
    'a group of a Service without a reference to the load balancer is deleted': [
      reusing,
      ...group('DeleteVServerGroup', 'rsp-neighbours'),
    ],
    'a backend is added to a group of another cluster': [
      reusing,
      ...members('AddVServerGroupBackendServers', 'rsp-abroad', 'i-1'),
    ],
    "a group with a user's backend is deleted": [reusing, ...group('DeleteVServerGroup', 'rsp-mixed')],
    "a user's backend is removed from a user-managed group": [reusing, ...removal('i-1', 'i-2')],
    'a backend of another cluster is removed from a user-managed group': [reusing, ...removal('i-3')],
    "a user's backend gets another weight": [reusing, ...members('SetVServerGroupAttribute', 'rsp-hers', 'i-2')],
    "a user's backend is added again with another weight": [
      reusing,
      ...members('AddVServerGroupBackendServers', 'rsp-hers', 'i-2'),
    ],
  },
});
