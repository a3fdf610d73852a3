import assert from 'node:assert/strict';
import { describeAction } from '../../../../src/clb/model/action.ts';
import { withAdoptedNames } from '../../../../src/clb/desired/build.ts';
import { diff } from '../../../../src/clb/diff/diff.ts';
import { observedAfter } from '../../../../src/clb/model/observed-after-action.ts';
import type { VServerGroupId } from '../../../../src/clb/model/ids.ts';
import { listenerName, ownerTags, serverGroupName } from '../../../../src/clb/model/naming.ts';
import type { Observed, Present } from '../../../../src/clb/model/desired-and-observed-state.ts';
import {
  aBackend,
  aLoadBalancer,
  anObserved,
  anObservedListener,
  aPresent,
  groupName,
  LB_ID,
  OWNER,
} from '../../../support/clb-objects.ts';

const NAMELESS = { ...OWNER, clusterId: 'clusterid' };
const OLD = serverGroupName(NAMELESS, 30_080);

/** Returns resources created for the Service while the cluster had no id. */
const madeBefore = (tags = ownerTags(NAMELESS)): Observed =>
  anObserved({
    loadBalancer: aLoadBalancer({ tags }),
    groups: [
      {
        id: 'rsp-old' as VServerGroupId,
        name: OLD,
        backends: [aBackend('i-1', 30_080, { description: OLD })],
      },
    ],
    listeners: [anObservedListener(80, { description: listenerName(NAMELESS, 80), groupId: 'rsp-old' })],
  });

const planned = (desired: Present, observed: Observed) => diff(withAdoptedNames(desired), observed);

/** Names of resources contain the id of the cluster, so without the migration, the controller would create all resources again. */
describe('a cluster that gets an id after the creation of load balancers', () => {
  it('migrates the resources on an owned load balancer, and deletes an unused old group last', () => {
    const { actions, blocked } = planned(aPresent(), madeBefore());
    assert.deepEqual(blocked, []);
    assert.deepEqual(actions.map(describeAction), [
      'tag the load balancer: ack.aliyun.com=c1',
      `create server group ${groupName(30_080)}: i-1:30080 weight 100`,
      `change tcp listener 80: description=${listenerName(OWNER, 80)}, group=${groupName(30_080)}`,
      `delete server group ${OLD}`,
    ]);
  });

  it('has an empty plan after the migration', () => {
    const { actions } = planned(aPresent(), madeBefore());
    const after = actions.reduce(
      (now, action) =>
        observedAfter(now, action, action.kind === 'create-server-group' ? ('rsp-new' as VServerGroupId) : undefined),
      madeBefore(),
    );
    assert.deepEqual(planned(aPresent(), after), { actions: [], blocked: [] });
  });

  it('ignores resources on a user-managed load balancer, which may belong to another cluster', () => {
    const use = { kind: 'reused', id: LB_ID, overrideListeners: true } as const;
    const { actions, blocked } = planned(aPresent({ use }), madeBefore({}));
    assert.deepEqual([actions, blocked.map(({ rule }) => rule)], [[], ['PortUnavailable']]);
  });

  it('has nothing to migrate before it gets the id', () => {
    assert.equal(withAdoptedNames(aPresent({ owner: NAMELESS })).owner.adoptsPlaceholderNames, undefined);
  });
});
