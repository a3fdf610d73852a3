import assert from 'node:assert/strict';
import { FailureTracker } from '../../../../src/clb/apply/failure-tracker.ts';
import { PortcullisError } from '../../../../src/base/errors.ts';
import type { Observed } from '../../../../src/clb/model/desired-and-observed-state.ts';
import { anObserved, anObservedGroup, anObservedListener, groupName } from '../../../support/clb-objects.ts';
import { ACTIONS } from '../../../support/recorded-clb-calls.ts';

const REDIRECT = anObservedListener(8080, {
  protocol: 'http',
  listenerForward: 'on',
  forwardPort: 443,
  groupId: undefined,
});

/** Returns whether the deletion of the group of port 443 is forbidden after an update failed. */
function forbidsDeletion(now: Observed): boolean {
  const tracker = new FailureTracker();
  tracker.failed(ACTIONS.update, new PortcullisError('Rejected', 'updateListener failed'), now);
  return tracker.forbids({ kind: 'delete-server-group', group: groupName(30_443) }, now);
}

describe('the deletion of a server group after a failure', () => {
  const groups = [anObservedGroup(30_080), anObservedGroup(30_443)];
  const ROWS: Readonly<Record<string, readonly [now: Observed, isForbidden: boolean]>> = {
    'is forbidden while a listener uses the group': [
      anObserved({ groups, listeners: [anObservedListener(80), anObservedListener(443)] }),
      true,
    ],
    'is permitted if the other listener is a redirect without a group': [
      anObserved({ groups, listeners: [anObservedListener(80), REDIRECT] }),
      false,
    ],
    'is permitted for an unobserved group if the other listener is a redirect without a group': [
      anObserved({ listeners: [anObservedListener(80), REDIRECT] }),
      false,
    ],
  };
  for (const [title, [now, isForbidden]] of Object.entries(ROWS))
    it(title, () => assert.equal(forbidsDeletion(now), isForbidden));
});
