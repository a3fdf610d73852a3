import assert from 'node:assert/strict';
import type { Action } from '../../../../src/clb/model/action.ts';
import { rejectedKey, withoutRejected } from '../../../../src/clb/guards/rejected-backends.ts';
import { aBackend, anObserved, anObservedGroup, groupName } from '../../../support/clb-objects.ts';

const OLD = groupName(30_080);
const NEW = groupName(30_443);
/** The replacing backends are in another group, and have the same descriptions as the removed backends. */
const DESCRIPTION = { description: OLD };
const adding = (group: string): Action => ({
  kind: 'add-backends',
  group,
  backends: [aBackend('i-9', 30_080, DESCRIPTION)],
});
const REMOVAL: Action = {
  kind: 'remove-backends',
  group: OLD,
  backends: [aBackend('i-1', 30_080, DESCRIPTION)],
};

/** The group whose additions the cloud rejected, and why the removal is blocked. */
const ROWS: Readonly<Record<string, { readonly rejected: string; readonly reasons: readonly string[] }>> = {
  'is blocked if its group would have no backends': {
    rejected: OLD,
    reasons: ['the server group would have no backends'],
  },
  'is blocked if the cloud rejected the backends of the replacing group': {
    rejected: NEW,
    reasons: ['the cloud rejected the backends of the group that replaces this group'],
  },
};

/** A removal after a rejected addition would leave a port without backends. */
describe('a removal of backends', () => {
  for (const [title, { rejected, reasons }] of Object.entries(ROWS)) {
    it(title, () => {
      const observed = anObserved({ groups: [anObservedGroup(30_080), anObservedGroup(30_443, [])] });
      const key = rejectedKey(rejected, aBackend('i-9', 30_080, DESCRIPTION));
      const plan = { actions: [adding(rejected), REMOVAL], blocked: [] };
      const { blocked } = withoutRejected(new Set([key]), observed)(plan);
      assert.deepEqual(
        blocked.filter(({ action }) => action === REMOVAL).map(({ reason }) => reason),
        reasons,
      );
    });
  }
});
