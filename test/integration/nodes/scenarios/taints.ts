import type { Scenarios } from '../../../support/node-world/scenario.ts';
import { A_PASS, instance, MINUTE, on } from '../../../support/node-world/said.ts';

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';
const network = (status: 'True' | 'False', reason: string) => ({
  patch: { status: { conditions: [{ type: 'NetworkUnavailable', status, reason, message: `${reason} says so` }] } },
  of: 'n1',
  in: 'status' as const,
});

/** Taints and conditions that keep pods off a Node, and their removal. */
export const TAINTS: Scenarios = {
  'taints of people stay where they are': {
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
  'a taint that looks like the one of the cloud is somebody else’s': {
    steps: [
      { join: [on(1, { taints: [{ key: 'node.cilium.io/uninitialized', value: 'true', effect: 'NoSchedule' }] })] },
    ],
  },
  'the taint of the cloud goes, whatever its effect': {
    steps: [{ join: [on(1, { isExternal: false, taints: [{ key: UNINITIALIZED, effect: 'PreferNoSchedule' }] })] }],
  },
  'a Node that is not ready is let in by the cloud, and waits for its kubelet': {
    steps: [{ join: [on(1, { ready: 'False' })] }, { ready: 'True', of: ['n1'] }],
  },
  'a Node whose network a plugin has made available waits for its route all the same': {
    isUnattended: true,
    steps: [{ join: ['n1'] }, network('False', 'CiliumIsUp'), { controller: 'starts' }],
  },
  'a Node whose network a plugin has not made available yet is so once its route is there': {
    isUnattended: true,
    steps: [{ join: ['n1'] }, network('True', 'CalicoIsDown'), { controller: 'starts' }],
  },
  'the taint of the cloud comes back to a Node that is in use, and goes again without cutting it off': {
    steps: [
      { join: ['n1'] },
      { patch: { spec: { taints: [{ key: UNINITIALIZED, value: 'true', effect: 'NoSchedule' }] } }, of: 'n1' },
    ],
  },
  'without routes nothing is said of the network': {
    controller: { flags: ['--configure-cloud-routes=false', '--controllers=node,-inventory'] },
    steps: [{ join: ['n1'] }],
  },
  'a Node that waited for a route when routes are switched off waits no more': {
    controller: { flags: ['--configure-cloud-routes=false', '--controllers=node,-inventory'] },
    isUnattended: true,
    steps: [{ join: ['n1'] }, network('True', 'NoRouteCreated'), { controller: 'starts' }],
  },
  'a network that a plugin says is not available is the plugin’s to say without routes': {
    controller: { flags: ['--configure-cloud-routes=false', '--controllers=node,-inventory'] },
    isUnattended: true,
    steps: [{ join: ['n1'] }, network('True', 'CalicoIsDown'), { controller: 'starts' }],
  },
  'the route controller alone routes Nodes that another cloud controller lets in': {
    controller: { flags: ['--controllers=route,-inventory'] },
    steps: [{ join: [on(1, { isExternal: false })] }],
  },
  'the Node controller alone lets a Node wait for the route that another process makes': {
    controller: { flags: ['--controllers=node,-inventory'] },
    steps: [{ join: ['n1'] }, { pass: A_PASS }],
  },
  'the check of addresses stays on where that was asked for': {
    controller: { flags: ['--skip-disable-source-dest-check'] },
    steps: [{ join: ['n1'] }],
  },
  'an interface that is open already is not opened': {
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
  'an interface that is being changed is opened a moment later': {
    steps: [
      {
        faults: [
          { action: 'ModifyNetworkInterfaceAttribute', effect: 'refuse', code: 'InvalidOperation.Conflict', count: 2 },
        ],
      },
      { join: ['n1'] },
    ],
  },
  'without the permission to open interfaces Nodes are let in, and it is said': {
    steps: [
      {
        faults: [
          {
            action: 'ModifyNetworkInterfaceAttribute',
            effect: 'refuse',
            code: 'Forbidden.RAM',
            status: 403,
            count: 'forever',
          },
        ],
      },
      { join: ['n1'] },
    ],
  },
  'without the permission to read instances nobody is let in, and it is said once': {
    steps: [
      {
        faults: [
          { action: 'DescribeInstances', effect: 'refuse', code: 'Forbidden.RAM', status: 403, count: 'forever' },
        ],
      },
      { join: ['n1', 'n2'] },
      { pass: 5 * MINUTE },
      { faults: [] },
      { pass: 3 * MINUTE },
    ],
  },
  'a cloud that is down for a while lets Nodes in when it is back': {
    steps: [
      { faults: [{ action: '*', effect: 'refuse', code: 'ServiceUnavailable', status: 503, count: 'forever' }] },
      { join: ['n1'] },
      { faults: [] },
      { pass: 3 * MINUTE },
    ],
  },
  'a cloud that asks for patience is given it': {
    steps: [
      { faults: [{ action: 'DescribeInstances', effect: 'throttle', count: 2 }] },
      { join: ['n1', 'n2', 'n3'] },
      { pass: 3 * MINUTE },
    ],
  },
  'answers that are lost on their way are asked for again': {
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
  'a stopped instance shuts its Node down, and pods come back when its kubelet does': {
    steps: [
      { join: ['n1', 'n2'] },
      { cloud: instance(1, { status: 'Stopped' }) },
      { ready: 'Unknown', of: ['n1'] },
      { cloud: instance(1, { status: 'Running' }) },
      { pass: A_PASS },
      { ready: 'True', of: ['n1'] },
    ],
  },
  'an instance that is stopping shuts its Node down before the kubelet is silent': {
    steps: [{ join: ['n1'] }, { cloud: instance(1, { status: 'Stopping' }) }, { pass: A_PASS }],
  },
  'a Node that a stopped instance registered long ago is tainted from the start': {
    cloud: instance(1, { status: 'Stopped' }),
    steps: [{ join: [on(1, { ready: 'False' })] }],
  },
};
