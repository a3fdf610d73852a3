import assert from 'node:assert/strict';
import type { Action } from '../../../src/clb/model/action.ts';
import type { LoadBalancerId, ServerId } from '../../../src/clb/model/ids.ts';
import { NOTHING_THERE, type Absent } from '../../../src/clb/model/desired-and-observed-state.ts';
import { lostAddresses, usedNodePorts, type LoadBalancerPlan } from '../../../src/plan-command/load-balancer-plan.ts';
import { aBackend, anObserved, aPresent, groupName, LB_ID, OWNER } from '../../support/clb-objects.ts';

const DELETE: Action = { kind: 'delete-load-balancer', id: LB_ID };
const DETACH: Action = { kind: 'delete-listener', listener: { port: 80, protocol: 'tcp' } };
const anAbsent = (over: Partial<Absent> = {}): Absent => ({
  kind: 'absent',
  owner: OWNER,
  use: { kind: 'owned' },
  preserve: false,
  ...over,
});
const REUSED = { kind: 'reused', id: 'lb-own' as LoadBalancerId, overrideListeners: true } as const;
const planned = (actions: readonly Action[], over: Partial<LoadBalancerPlan> = {}): LoadBalancerPlan => ({
  desired: anAbsent(),
  observed: anObserved(),
  plan: { actions, blocked: [] },
  ...over,
});

/** A plan must warn about the loss of a published address. */
describe('the addresses that a Service loses', () => {
  const rows: Readonly<Record<string, readonly [plan: LoadBalancerPlan, reason: string | undefined]>> = {
    'include the address of a deleted load balancer': [planned([DELETE]), 'deleted'],
    'include the address of a user-managed load balancer from which the Service is detached': [
      planned([DETACH], { desired: anAbsent({ use: REUSED }) }),
      'detached',
    ],
    'exclude the address of a preserved load balancer': [
      planned([DETACH], { desired: anAbsent({ use: REUSED, preserve: true }) }),
      undefined,
    ],
    'exclude the address of a load balancer that stays': [planned([DETACH], { desired: aPresent() }), undefined],
    'exclude the address of a user-managed load balancer without resources of the Service': [
      planned([], { desired: anAbsent({ use: REUSED }) }),
      undefined,
    ],
    'are none without a load balancer': [planned([DELETE], { observed: NOTHING_THERE }), undefined],
  };
  for (const [title, [plan, reason]] of Object.entries(rows))
    it(title, () =>
      assert.deepEqual(
        lostAddresses([plan], ['47.0.0.1']),
        reason === undefined ? [] : [{ address: '47.0.0.1', loadBalancer: 'lb-own', reason }],
      ),
    );

  const detached = planned([DETACH], { desired: anAbsent({ use: REUSED }) });
  it('exclude the address of a user-managed load balancer while another address is published', () => {
    assert.deepEqual(lostAddresses([detached], ['47.0.0.2']), []);
  });

  it('include the address of a user-managed load balancer after the status was cleared', () => {
    assert.equal(lostAddresses([detached], []).length, 1);
  });
});

describe('the node ports that a plan uses', () => {
  const usedWith = (backends: Parameters<typeof aPresent>[0]): readonly number[] =>
    usedNodePorts([planned([], { desired: aPresent(backends) })], [30_080, 30_081]);
  const pod = { type: 'eni', serverId: 'eni-1' as ServerId, serverIp: '10.0.0.1', port: 30_080, weight: 1 } as const;

  it('are those of groups with instances', () =>
    assert.deepEqual(
      usedWith({ groups: [{ name: groupName(30_080), backends: [aBackend('i-1', 30_080)] }] }),
      [30_080],
    ));
  it('are those of groups without backends', () =>
    assert.deepEqual(usedWith({ groups: [{ name: groupName(30_081), backends: [] }] }), [30_081]));
  it('exclude the target ports of pods', () =>
    assert.deepEqual(usedWith({ groups: [{ name: groupName(30_080), backends: [{ ...pod, description: '' }] }] }), []));
  it('are none if the Service gives up its load balancer', () =>
    assert.deepEqual(usedNodePorts([planned([DELETE])], [30_080]), []));
});
