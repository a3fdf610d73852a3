import assert from 'node:assert/strict';
import { BACKEND_TYPE } from '../../../support/backends.ts';
import { groupIdOf, listenByHand, removeListenerByHand } from '../../../support/user-changes.ts';
import { keyOf, SERVICES } from '../../../support/simulated-cluster.ts';
import {
  annotated,
  apply,
  changes,
  events,
  loadBalancers,
  messageOf,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const SHARED = { id: 'lb-shared', name: 'shared', address: '47.1.1.1' };
const DELETE_GROUP = 'DeleteVServerGroup';
const DELETE_LISTENER = 'DeleteLoadBalancerListener';

/** A server group that a user's listener uses must not be deleted, because the listener would lose its backends. */
describe("a Service's server group that a user-managed listener uses", () => {
  const IN_USE =
    /tcp listener 80, which this Service did not create, uses server group \S+; delete the listener, or let the listener use another server group/;

  interface End {
    readonly act: (run: Running) => Promise<void>;
    readonly event: string;
    readonly reason: string;
    /** Final number of server groups of the Service. */
    readonly groups: number;
  }
  const ENDS: Readonly<Record<string, End>> = {
    'after its port is removed': {
      act: (run) => patch(run, { spec: aService({ ports: [443] }).spec as object }),
      event: 'SyncLoadBalancerFailed',
      reason: 'ServerGroupInUse',
      groups: 1,
    },
    'after the Service is deleted': {
      act: async ({ cluster }) => {
        cluster.kubernetes.delete(SERVICES, keyOf(aService()));
        await cluster.quiet();
      },
      event: 'CleanLoadBalancerFailed',
      reason: 'Rejected',
      groups: 0,
    },
  };
  for (const [when, { act, event, reason, groups }] of Object.entries(ENDS))
    it(`stays ${when}, until a user deletes the listener`, async () => {
      const run = await running({}, { loadBalancers: [SHARED] });
      await apply(run, { annotations: annotated({ id: SHARED.id }), ports: [80, 443] });
      const VServerGroupId = await groupIdOf(run, SHARED.id, 'k8s/30080/');
      await listenByHand(run, SHARED.id, 80, { VServerGroupId });
      await act(run);
      assert.match(events(run, event)[0] ?? '', IN_USE);
      assert.deepEqual(statusAndReason(run), ['False', reason]);
      assert.equal(await groupIdOf(run, SHARED.id, 'k8s/30080/'), VServerGroupId);
      await removeListenerByHand(run, SHARED.id, 80);
      await run.cluster.quiet(10 * 60_000);
      assert.equal(loadBalancers(run)[0]?.serverGroups.length, groups);
      assert.equal(run.cluster.service() === undefined ? 'True' : statusAndReason(run)[0], 'True');
      await run.process.stop();
    });
});

describe('a listener that its Service no longer manages', () => {
  const OTHER_GROUP: Readonly<Record<string, object>> = {
    'the node port': { spec: { ports: [{ ...aService().spec?.ports?.[0], nodePort: 31_111 }] } },
    'the backend type': { metadata: { annotations: { [BACKEND_TYPE]: 'eni' } } },
    'the user-managed group': { metadata: { annotations: annotated({ 'vgroup-port': 'rsp-hers:80' }) } },
  };
  for (const [what, change] of Object.entries(OTHER_GROUP))
    it(`keeps its server group if ${what} changes, which the condition reports`, async () => {
      const serverGroups = [{ id: 'rsp-hers', name: 'hers' }];
      const run = await running({}, { loadBalancers: [{ ...SHARED, serverGroups }] });
      await apply(run, { annotations: annotated({ id: SHARED.id, 'force-override-listeners': 'true' }) });
      await patch(run, { metadata: { annotations: annotated({ 'force-override-listeners': null }) } });
      const since = callCount(run);
      await patch(run, change);
      const deletions = changes(run, since).filter((action) => [DELETE_GROUP, DELETE_LISTENER].includes(action));
      assert.deepEqual(deletions, []);
      assert.deepEqual(
        [loadBalancers(run)[0]?.listeners.length, statusAndReason(run)],
        [1, ['False', 'ServerGroupInUse']],
      );
      assert.match(
        messageOf(run),
        /tcp listener 80, which this Service may no longer change, .* let the listener use \S+, or set force-override-listeners to "true"/,
      );
      await patch(run, { metadata: { annotations: annotated({ 'force-override-listeners': 'true' }) } });
      assert.deepEqual([statusAndReason(run)[0], changes(run, since).includes(DELETE_LISTENER)], ['True', false]);
      await run.process.stop();
    });
});
