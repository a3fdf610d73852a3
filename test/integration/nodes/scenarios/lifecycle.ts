import type { Scenarios } from '../../../support/node-world/scenario.ts';
import { A_PASS, HOUR, instance, MINUTE, on, SECOND, unknown } from '../../../support/node-world/scenario-parts.ts';

const TEN = Array.from({ length: 10 }, (_, index) => `n${index + 1}`);
const silent = (...of: readonly string[]) => ({ ready: 'Unknown', of }) as const;
const released = (...indexes: readonly number[]) => ({ release: indexes.map((index) => `i-${index}`) });

/** Scenarios of stopped and deleted instances. A Node is deleted only with proof, because that evicts its pods. `scenarios.test.ts` plays them. */
export const LIFECYCLE: Scenarios = {
  'healthy Nodes are read periodically and never written': {
    steps: [{ join: ['n1', 'n2', 'n3'] }, { pass: 3 * HOUR }],
  },
  'heartbeats of a kubelet cause no call and no write': {
    steps: [
      { join: ['n1'] },
      {
        patch: { status: { conditions: [{ type: 'Ready', lastHeartbeatTime: '2030-01-01T00:00:00Z' }] } },
        of: 'n1',
        in: 'status',
      },
      { patch: { status: { capacity: { cpu: '2' } } }, of: 'n1', in: 'status' },
    ],
  },
  'a Node whose instance is deleted is deleted with its route': {
    steps: [{ join: ['n1', 'n2'] }, released(1), silent('n1'), { pass: 3 * MINUTE }],
  },
  'a Node with Ready False is deleted with its instance': {
    steps: [{ join: ['n1', 'n2'] }, released(1), { ready: 'False', of: ['n1'] }, { pass: 3 * MINUTE }],
  },
  'a Node whose kubelet never reported is deleted with its instance': {
    steps: [{ join: [on(1, { ready: 'never' }), 'n2'] }, released(1), { pass: 10 * MINUTE }],
  },
  'a ready Node is never deleted': {
    steps: [{ join: ['n1', 'n2'] }, released(1), { pass: 20 * MINUTE }],
  },
  'a Node with Ready Unknown for a moment is not deleted': {
    steps: [{ join: ['n1', 'n2'] }, released(1), silent('n1'), { ready: 'True', of: ['n1'] }, { pass: 20 * MINUTE }],
  },
  'a Node with Ready Unknown is not deleted while its instance exists': {
    steps: [{ join: ['n1', 'n2'] }, silent('n1'), { pass: HOUR }],
  },
  'a Node is not deleted if its instance is missing for a moment': {
    steps: [
      { join: ['n1', 'n2'] },
      silent('n1'),
      released(1),
      { pass: 20 * SECOND },
      { cloud: instance(1, {}) },
      { pass: 20 * MINUTE },
    ],
  },
  'the flag --node-removal-grace delays the deletion of a Node': {
    controller: { flags: ['--node-removal-grace=10m'] },
    steps: [{ join: ['n1', 'n2'] }, released(1), silent('n1'), { pass: 9 * MINUTE }, { pass: 6 * MINUTE }],
  },
  'one pass deletes at most a tenth of the Nodes': {
    instances: 10,
    steps: [
      { join: TEN },
      released(1, 2, 3),
      silent('n1', 'n2', 'n3'),
      { pass: 3 * MINUTE },
      { pass: 5 * MINUTE },
      { pass: 5 * MINUTE },
    ],
  },
  'a response without any instance deletes no Node': {
    steps: [{ join: ['n1', 'n2', 'n3'] }, released(1, 2, 3), silent('n1', 'n2', 'n3'), { pass: HOUR }],
  },
  'Nodes of another region are never deleted': {
    steps: [
      { join: [on(1, { providerId: 'cn-beijing.i-77', isExternal: false }), 'n2'] },
      silent('n1'),
      { pass: 20 * MINUTE },
    ],
  },
  'Nodes with an unreadable provider ID are never deleted': {
    steps: [
      { join: [on(1, { providerId: 'nonsense', isExternal: false }), unknown(3, { isExternal: false }), 'n2'] },
      silent('n1', 'n3'),
      { pass: 20 * MINUTE },
    ],
  },
  'a Node of an instance that is stopped for arrears is not deleted': {
    steps: [{ join: ['n1', 'n2'] }, { cloud: instance(1, { status: 'Stopped' }) }, silent('n1'), { pass: HOUR }],
  },
  'a restarted controller proves again that an instance is deleted': {
    steps: [
      { join: ['n1', 'n2'] },
      released(1),
      silent('n1'),
      { pass: 35 * SECOND },
      { controller: 'dies' },
      { controller: 'starts' },
      { pass: 2 * MINUTE },
    ],
  },
  'a Node deleted while no controller runs leaves no route': {
    steps: [{ join: ['n1', 'n2'] }, { controller: 'stops' }, { leave: ['n1'] }, { controller: 'starts' }],
  },
  'a Node is deleted if its instance is deleted while no controller runs': {
    steps: [
      { join: ['n1', 'n2'] },
      { controller: 'stops' },
      released(1),
      silent('n1'),
      { controller: 'starts' },
      { pass: 3 * MINUTE },
    ],
  },
  'a Node is initialized completely if the controller is killed meanwhile': {
    steps: [
      { faults: [{ action: 'CreateRouteEntries', effect: 'timeout-after-commit' }] },
      { join: ['n1', 'n2'] },
      { controller: 'dies' },
      { controller: 'starts' },
    ],
  },
  'a missing permission deletes no Node': {
    steps: [
      { join: ['n1', 'n2'] },
      silent('n1', 'n2'),
      {
        faults: [
          { action: 'DescribeInstances', effect: 'reject', code: 'Forbidden.RAM', status: 403, count: 'forever' },
        ],
      },
      { pass: HOUR },
      { faults: [] },
      { pass: A_PASS },
    ],
  },
  'a Node with a finalizer is deleted once': {
    steps: [
      { join: ['n1', 'n2'] },
      { patch: { metadata: { finalizers: ['example.com/hold'] } }, of: 'n1' },
      released(1),
      silent('n1'),
      { pass: 20 * MINUTE },
      { patch: { metadata: { finalizers: null } }, of: 'n1' },
    ],
  },
};
