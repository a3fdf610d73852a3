import type { Scenarios } from '../../../support/node-world/scenario.ts';
import { A_PASS, HOUR, instance, MINUTE, on, SECOND, unknown } from '../../../support/node-world/said.ts';

const TEN = Array.from({ length: 10 }, (_, index) => `n${index + 1}`);
const silent = (...of: readonly string[]) => ({ ready: 'Unknown', of }) as const;
const gone = (...indexes: readonly number[]) => ({ release: indexes.map((index) => `i-${index}`) });

/** Lifecycle and deletion of Nodes. */
export const LIFE: Scenarios = {
  'Nodes that are well are read now and then, and never written to': {
    steps: [{ join: ['n1', 'n2', 'n3'] }, { pass: 3 * HOUR }],
  },
  'what a kubelet says again and again is nobody’s business': {
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
  'a Node whose instance is gone goes, with its route': {
    steps: [{ join: ['n1', 'n2'] }, gone(1), silent('n1'), { pass: 3 * MINUTE }],
  },
  'a Node whose kubelet says that it is not ready goes too when its instance is gone': {
    steps: [{ join: ['n1', 'n2'] }, gone(1), { ready: 'False', of: ['n1'] }, { pass: 3 * MINUTE }],
  },
  'a Node whose kubelet never spoke, as kube-controller-manager finds, goes when its instance is gone': {
    steps: [{ join: [on(1, { ready: 'never' }), 'n2'] }, gone(1), { pass: 10 * MINUTE }],
  },
  'a Node that is ready stays, whatever the cloud says': {
    steps: [{ join: ['n1', 'n2'] }, gone(1), { pass: 20 * MINUTE }],
  },
  'a Node that is silent for a moment stays': {
    steps: [{ join: ['n1', 'n2'] }, gone(1), silent('n1'), { ready: 'True', of: ['n1'] }, { pass: 20 * MINUTE }],
  },
  'a Node that is silent stays as long as its instance is there': {
    steps: [{ join: ['n1', 'n2'] }, silent('n1'), { pass: HOUR }],
  },
  'an instance that the cloud forgets for a moment costs no Node': {
    steps: [
      { join: ['n1', 'n2'] },
      silent('n1'),
      gone(1),
      { pass: 20 * SECOND },
      { cloud: instance(1, {}) },
      { pass: 20 * MINUTE },
    ],
  },
  'a longer grace is given where that was asked for': {
    controller: { flags: ['--node-removal-grace=10m'] },
    steps: [{ join: ['n1', 'n2'] }, gone(1), silent('n1'), { pass: 9 * MINUTE }, { pass: 6 * MINUTE }],
  },
  'a tenth of the Nodes goes in one pass, and no more': {
    instances: 10,
    steps: [
      { join: TEN },
      gone(1, 2, 3),
      silent('n1', 'n2', 'n3'),
      { pass: 3 * MINUTE },
      { pass: 5 * MINUTE },
      { pass: 5 * MINUTE },
    ],
  },
  'an answer without any instance is a fault of permissions, and costs no Node': {
    steps: [{ join: ['n1', 'n2', 'n3'] }, gone(1, 2, 3), silent('n1', 'n2', 'n3'), { pass: HOUR }],
  },
  'Nodes of another region stay, whatever is known of them here': {
    steps: [
      { join: [on(1, { providerId: 'cn-beijing.i-77', isExternal: false }), 'n2'] },
      silent('n1'),
      { pass: 20 * MINUTE },
    ],
  },
  'Nodes that nobody can read the provider ID of stay': {
    steps: [
      { join: [on(1, { providerId: 'nonsense', isExternal: false }), unknown(3, { isExternal: false }), 'n2'] },
      silent('n1', 'n3'),
      { pass: 20 * MINUTE },
    ],
  },
  'an instance that is locked for debts is still there, and so is its Node': {
    steps: [{ join: ['n1', 'n2'] }, { cloud: instance(1, { status: 'Stopped' }) }, silent('n1'), { pass: HOUR }],
  },
  'a controller that begins anew proves anew': {
    steps: [
      { join: ['n1', 'n2'] },
      gone(1),
      silent('n1'),
      { pass: 35 * SECOND },
      { controller: 'dies' },
      { controller: 'starts' },
      { pass: 2 * MINUTE },
    ],
  },
  'a Node that goes while nobody looks leaves no route': {
    steps: [{ join: ['n1', 'n2'] }, { controller: 'stops' }, { leave: ['n1'] }, { controller: 'starts' }],
  },
  'an instance that is gone while nobody looks costs its Node its place': {
    steps: [
      { join: ['n1', 'n2'] },
      { controller: 'stops' },
      gone(1),
      silent('n1'),
      { controller: 'starts' },
      { pass: 3 * MINUTE },
    ],
  },
  'a controller that dies in the middle of a join leaves nothing half done to the next': {
    steps: [
      { faults: [{ action: 'CreateRouteEntries', effect: 'timeout-after-commit' }] },
      { join: ['n1', 'n2'] },
      { controller: 'dies' },
      { controller: 'starts' },
    ],
  },
  'a time without permissions costs no Node': {
    steps: [
      { join: ['n1', 'n2'] },
      silent('n1', 'n2'),
      {
        faults: [
          { action: 'DescribeInstances', effect: 'refuse', code: 'Forbidden.RAM', status: 403, count: 'forever' },
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
      gone(1),
      silent('n1'),
      { pass: 20 * MINUTE },
      { patch: { metadata: { finalizers: null } }, of: 'n1' },
    ],
  },
};
