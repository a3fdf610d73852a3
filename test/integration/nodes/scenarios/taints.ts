import type { Scenarios } from '../../../support/node-world/scenario.ts';
import { A_PASS, instance, MINUTE, on } from '../../../support/node-world/scenario-parts.ts';

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';
const network = (status: 'True' | 'False', reason: string) => ({
  patch: { status: { conditions: [{ type: 'NetworkUnavailable', status, reason, message: `${reason} says so` }] } },
  of: 'n1',
  in: 'status' as const,
});

/** Scenarios of taints and conditions that keep pods off a Node until its network is available. `scenarios.test.ts` plays them. */
export const TAINTS: Scenarios = {
  'taints of users remain': {
    steps: [
      {
        join: [
          on(1, {
            taints: [
              { key: 'example.com/dedicated', value: 'gpu', effect: 'NoExecute' },
              { key: 'example.com/initialising', effect: 'NoSchedule' },
            ],
          }),
        ],
      },
    ],
  },
  'a taint with a similar key remains': {
    steps: [
      { join: [on(1, { taints: [{ key: 'node.cilium.io/uninitialized', value: 'true', effect: 'NoSchedule' }] })] },
    ],
  },
  'the taint of the cloud is removed, whatever its effect': {
    steps: [{ join: [on(1, { isExternal: false, taints: [{ key: UNINITIALIZED, effect: 'PreferNoSchedule' }] })] }],
  },
  'a Node that is not ready loses the taint of the cloud, and waits for its kubelet': {
    steps: [{ join: [on(1, { ready: 'False' })] }, { ready: 'True', of: ['n1'] }],
  },
  'a Node whose network plugin reports an available network still waits for its route': {
    isUnattended: true,
    steps: [{ join: ['n1'] }, network('False', 'CiliumIsUp'), { controller: 'starts' }],
  },
  'a Node whose network plugin reports no network has one once its route exists': {
    isUnattended: true,
    steps: [{ join: ['n1'] }, network('True', 'CalicoIsDown'), { controller: 'starts' }],
  },
  'the taint of the cloud is removed again from a Node in use, which keeps its route': {
    steps: [
      { join: ['n1'] },
      { patch: { spec: { taints: [{ key: UNINITIALIZED, value: 'true', effect: 'NoSchedule' }] } }, of: 'n1' },
    ],
  },
  'no network condition is written without routes': {
    controller: { flags: ['--configure-cloud-routes=false', '--controllers=node,-inventory'] },
    steps: [{ join: ['n1'] }],
  },
  'a Node that waits for a route stops waiting when routes are disabled': {
    controller: { flags: ['--configure-cloud-routes=false', '--controllers=node,-inventory'] },
    isUnattended: true,
    steps: [{ join: ['n1'] }, network('True', 'NoRouteCreated'), { controller: 'starts' }],
  },
  'the network condition of a plugin remains without routes': {
    controller: { flags: ['--configure-cloud-routes=false', '--controllers=node,-inventory'] },
    isUnattended: true,
    steps: [{ join: ['n1'] }, network('True', 'CalicoIsDown'), { controller: 'starts' }],
  },
  'the route controller alone routes Nodes that another controller initializes': {
    controller: { flags: ['--controllers=route,-inventory'] },
    steps: [{ join: [on(1, { isExternal: false })] }],
  },
  'the Node controller alone sets NetworkUnavailable True and waits for another process': {
    controller: { flags: ['--controllers=node,-inventory'] },
    steps: [{ join: ['n1'] }, { pass: A_PASS }],
  },
  'the flag --skip-disable-source-dest-check keeps the check on': {
    controller: { flags: ['--skip-disable-source-dest-check'] },
    steps: [{ join: ['n1'] }],
  },
  'an interface without the check is not changed': {
    cloud: {
      networkInterfaces: [
        {
          type: 'Primary',
          instanceId: 'i-1',
          vSwitchId: 'vsw-1',
          privateAddresses: ['10.1.0.11'],
          sourceDestCheck: false,
        },
      ],
    },
    steps: [{ join: ['n1'] }],
  },
  'an interface in a concurrent change is changed a moment later': {
    steps: [
      {
        faults: [
          { action: 'ModifyNetworkInterfaceAttribute', effect: 'reject', code: 'InvalidOperation.Conflict', count: 2 },
        ],
      },
      { join: ['n1'] },
    ],
  },
  'a missing permission to change interfaces is reported, and Nodes are initialized': {
    steps: [
      {
        faults: [
          {
            action: 'ModifyNetworkInterfaceAttribute',
            effect: 'reject',
            code: 'Forbidden.RAM',
            status: 403,
            count: 'forever',
          },
        ],
      },
      { join: ['n1'] },
    ],
  },
  'a missing permission to read instances is reported once, and Nodes stay tainted': {
    steps: [
      {
        faults: [
          { action: 'DescribeInstances', effect: 'reject', code: 'Forbidden.RAM', status: 403, count: 'forever' },
        ],
      },
      { join: ['n1', 'n2'] },
      { pass: 5 * MINUTE },
      { faults: [] },
      { pass: 3 * MINUTE },
    ],
  },
  'Nodes are initialized once an unavailable cloud is available again': {
    steps: [
      { faults: [{ action: '*', effect: 'reject', code: 'ServiceUnavailable', status: 503, count: 'forever' }] },
      { join: ['n1'] },
      { faults: [] },
      { pass: 3 * MINUTE },
    ],
  },
  'throttled calls are retried later': {
    steps: [
      { faults: [{ action: 'DescribeInstances', effect: 'throttle', count: 2 }] },
      { join: ['n1', 'n2', 'n3'] },
      { pass: 3 * MINUTE },
    ],
  },
  'calls without a response are repeated': {
    steps: [
      {
        faults: [
          { action: 'DescribeInstances', effect: 'cut-reply' },
          { action: 'ModifyNetworkInterfaceAttribute', effect: 'cut-after-commit' },
          { action: 'CreateRouteEntries', effect: 'cut-after-commit' },
        ],
      },
      { join: ['n1'] },
      { pass: 2 * MINUTE },
    ],
  },
  'a Node has the shutdown taint while its instance is stopped, until its kubelet returns': {
    steps: [
      { join: ['n1', 'n2'] },
      { cloud: instance(1, { status: 'Stopped' }) },
      { ready: 'Unknown', of: ['n1'] },
      { cloud: instance(1, { status: 'Running' }) },
      { pass: A_PASS },
      { ready: 'True', of: ['n1'] },
    ],
  },
  'a Node of a stopping instance has the shutdown taint before Ready is Unknown': {
    steps: [{ join: ['n1'] }, { cloud: instance(1, { status: 'Stopping' }) }, { pass: A_PASS }],
  },
  'a Node of an instance stopped long ago has the shutdown taint from the start': {
    cloud: instance(1, { status: 'Stopped' }),
    steps: [{ join: [on(1, { ready: 'False' })] }],
  },
};
