import {
  aPicture,
  BEGUN,
  called,
  withMetadata,
  testInvariant,
  OWNER,
  stored,
} from '../../../support/invariants/history-builders.ts';
import { noOrphan } from '../../../support/invariants/invariants/no-orphan.ts';
import { aNode } from '../../../support/node.ts';
import { OWNER_TAG } from '../../../support/invariants/ownership.ts';

const create = (outcome?: string) =>
  called('CreateLoadBalancer', {
    parameters: { 'Tag.1.Key': OWNER_TAG, 'Tag.1.Value': OWNER },
    ...(outcome === undefined ? {} : { outcome }),
  });
const creation = create();
const group = called('CreateVServerGroup', {
  target: aPicture(),
  parameters: { VServerGroupName: 'k8s/80/web/shop/c1' },
});
const node = (at: number, podCIDRs: readonly string[]) =>
  stored(undefined, aNode('n1', { spec: { podCIDRs } }), { plural: 'nodes', at });
const leaves = (at: number) =>
  stored(aNode('n1', { spec: { podCIDRs: ['10.244.1.0/24'] } }), undefined, { plural: 'nodes', at });
const route = (at: number, range = '10.244.1.0/24') =>
  called('CreateRouteEntries', { at, parameters: { 'RouteEntries.1.DstCidrBlock': range } });
const plain = stored(undefined, withMetadata());
const letGo = stored(withMetadata(BEGUN), undefined, { by: 'controller' });

/** A resource without its Service or Node costs money, and no one deletes it. */
testInvariant(noOrphan, {
  keep: {
    'the Service exists': [plain, ...creation, ...group, letGo],
    'the call was rejected': [plain, letGo, ...create('InvalidParameter')],
    'the route belongs to a Node': [node(0, ['10.244.1.0/24']), ...route(1)],
    'the Node of the route was just deleted': [node(0, ['10.244.1.0/24']), leaves(9), ...route(10)],
    'a user deleted the Service by force': [plain, stored(withMetadata(BEGUN), undefined), ...group],
  },
  break: {
    'the route belongs to no Node': [node(0, ['10.244.1.0/24']), ...route(1, '10.244.2.0/24')],
    'the Node of the route was deleted': [node(0, ['10.244.1.0/24']), leaves(9), ...route(20)],
    'a load balancer is created after the deletion of its Service': [plain, letGo, ...creation],
    'a group is created after the deletion of its Service': [plain, letGo, ...group],
  },
});
