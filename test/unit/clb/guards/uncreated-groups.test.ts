import assert from 'node:assert/strict';
import { describeAction, type Action } from '../../../../src/clb/model/action.ts';
import { withoutMissingGroups } from '../../../../src/clb/guards/uncreated-groups.ts';
import { aBackend, anObserved, groupName } from '../../../support/clb-objects.ts';

const adding = (nodePort: number): Action => ({
  kind: 'add-backends',
  group: groupName(nodePort),
  backends: [aBackend('i-9', nodePort)],
});
const creation: Action = { kind: 'create-server-group', group: groupName(30_443), backends: [] };

/** Plans for a load balancer with the group of port 80, and the blocked actions. */
const ROWS: Readonly<Record<string, { readonly plan: readonly Action[]; readonly without: readonly Action[] }>> = {
  'is added to an existing group': { plan: [adding(30_080)], without: [] },
  'is added to a group that an earlier action creates': { plan: [creation, adding(30_443)], without: [] },
  'is blocked if no action creates its group': { plan: [adding(30_080), adding(30_443)], without: [adding(30_443)] },
};

/** If a policy blocks the creation of a server group, calls that add backends to the missing group would fail without this guard. */
describe('a backend', () => {
  for (const [title, { plan, without }] of Object.entries(ROWS)) {
    it(title, () => {
      const { actions, blocked } = withoutMissingGroups(anObserved())({ actions: plan, blocked: [] });
      assert.deepEqual(
        blocked.map(({ action }) => action && describeAction(action)),
        without.map(describeAction),
      );
      assert.equal(actions.length, plan.length - without.length);
    });
  }
});
