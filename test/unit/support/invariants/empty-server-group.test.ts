import type { EndpointSlice } from '../../../../src/base/kubernetes-objects.ts';
import { aSlice } from '../../../support/simulated-cluster.ts';
import {
  aPicture,
  BEGUN,
  called,
  withMetadata,
  testInvariant,
  recorded,
  stored,
  SYNCING,
} from '../../../support/invariants/history-builders.ts';
import { emptyServerGroup } from '../../../support/invariants/invariants/empty-server-group.ts';
import type { GroupPicture, LoadBalancerPicture } from '../../../support/invariants/moment.ts';
import { aNode } from '../../../support/node.ts';
import { annotated } from '../../../support/running-controller.ts';

const web = withMetadata(BEGUN);
const backend = { serverId: 'i-1', serverIp: undefined, port: 80, description: 'k8s/80/web/shop/c1' };
const group = (name: string, backends: GroupPicture['backends']): GroupPicture => ({ id: 'rsp-1', name, backends });
const NAME = 'k8s/80/web/shop/c1';

const service = (over = web) => stored(undefined, over);
const node = (over: Parameters<typeof aNode>[1] = {}, at = 0) =>
  stored(undefined, aNode('n1', { ...over, spec: { providerID: 'cn-hangzhou.i-1', ...over.spec } }), {
    plural: 'nodes',
    at,
  });
const slice = (nodes: readonly string[], at = 0, over: Partial<EndpointSlice> = {}) =>
  stored(undefined, { ...aSlice(web, nodes), ...over }, { plural: 'endpointslices', at });
const removed = (name = NAME, left: GroupPicture['backends'] = [], at = 60) =>
  called('RemoveVServerGroupBackendServers', {
    at,
    parameters: { VServerGroupId: 'rsp-1' },
    target: aPicture({ groups: [group(name, [backend])] }),
    after: aPicture({ groups: [group(name, left)] }),
  });

const REACHED = { status: { loadBalancer: { ingress: [{ ip: '47.0.0.1' }] } } };
const naming = () => ({
  ...withMetadata({ ...BEGUN, annotations: annotated({ 'vgroup-port': 'rsp-1:80' }) }),
  ...REACHED,
});
const CLEANING_UP = { operation: { type: 'Cleanup', state: 'InProgress' } } as const;
/** Returns the removal of all backends from a user-managed group that a user's listener uses. */
const hersEmptied = (over: Partial<LoadBalancerPicture> = {}) => {
  const hers = { listeners: [{ port: 443, protocol: 'tcp', description: '', groupId: 'rsp-1' }], ...over };
  const others = over.groups ?? [];
  return called('RemoveVServerGroupBackendServers', {
    at: 60,
    parameters: { VServerGroupId: 'rsp-1' },
    target: aPicture({ ...hers, groups: [group('hers', [backend]), ...others] }),
    after: aPicture({ ...hers, groups: [group('hers', []), ...others] }),
  });
};

/** An empty server group stops the traffic of its port. */
testInvariant(emptyServerGroup, {
  keep: {
    'no pod exists': [service(), node(), slice([]), ...removed()],
    'the Node of the last pod is not ready': [service(), node({ ready: 'False' }), slice(['n1']), ...removed()],
    'the Node of the last pod is cordoned': [
      service(),
      node({ spec: { unschedulable: true } }),
      slice(['n1']),
      ...removed(),
    ],
    'the pod was created too recently for the controller to observe the pod': [
      service(),
      node(),
      slice(['n1'], 58),
      ...removed(),
    ],
    'the Node became ready too recently for the controller to observe the change': [
      service(),
      node({}, 58),
      slice(['n1']),
      ...removed(),
    ],
    'the pods have another address family': [
      service(),
      node(),
      slice(['n1'], 0, { addressType: 'IPv6' }),
      ...removed(),
    ],
    'a backend stays in the group': [service(), node(), slice(['n1']), ...removed(NAME, [backend])],
    'the Service is deleted': [
      service(withMetadata({ ...BEGUN, deletionTimestamp: '2026-01-01T00:00:00Z' })),
      node(),
      slice(['n1']),
      ...removed(),
    ],
    'the Service now has its backends in user-managed groups': [service(naming()), node(), slice(['n1']), ...removed()],
    'no listener uses the user-managed group': [
      service(naming()),
      node(),
      slice(['n1']),
      ...hersEmptied({ listeners: [] }),
    ],
    'the user-managed group is on a load balancer whose address is not published': [
      service(naming()),
      node(),
      slice(['n1']),
      ...hersEmptied({ address: '47.0.0.2' }),
    ],
    'another group of the load balancer still has a backend of the Service': [
      service(naming()),
      node(),
      slice(['n1']),
      ...hersEmptied({ groups: [{ ...group('more', [backend]), id: 'rsp-2' }] }),
    ],
    'the Service of the user-managed group is in cleanup': [
      service(naming()),
      recorded(undefined, CLEANING_UP),
      node(),
      slice(['n1']),
      ...hersEmptied(),
    ],
  },
  break: {
    'a pod is ready on a ready Node': [service(), node(), slice(['n1']), ...removed()],
    'a user-managed group serves the Service': [service(naming()), node(), slice(['n1']), ...hersEmptied()],
    'a user-managed group serves the Service again after a cleanup': [
      service(naming()),
      recorded(undefined, CLEANING_UP),
      recorded(CLEANING_UP, SYNCING),
      node(),
      slice(['n1']),
      ...hersEmptied(),
    ],
    'the Node is reported again without a change': [service(), node(), slice(['n1']), node({}, 58), ...removed()],
  },
});
