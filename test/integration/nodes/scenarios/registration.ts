import type { Scenarios } from '../../../support/node-world/scenario.ts';
import { on, unknown } from '../../../support/node-world/scenario-parts.ts';

const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane';

/** Scenarios of Nodes as kubeadm, k3s and other distributions register them. Uninitialized Nodes accept no pods. `scenarios.test.ts` plays them. */
export const REGISTRATION: Scenarios = {
  'a control-plane Node of kubeadm keeps its role': {
    steps: [
      {
        join: [
          unknown(1, {
            nodeIp: '10.1.0.11',
            labels: { [CONTROL_PLANE]: '', 'node.kubernetes.io/exclude-from-external-load-balancers': '' },
            annotations: { 'kubeadm.alpha.kubernetes.io/cri-socket': 'unix:///var/run/containerd/containerd.sock' },
            taints: [{ key: CONTROL_PLANE, effect: 'NoSchedule' }],
          }),
        ],
      },
    ],
  },
  'an agent of k3s is found by its --node-ip': {
    steps: [
      {
        join: [
          unknown(2, {
            nodeIp: '10.1.0.12',
            annotations: {
              'k3s.io/hostname': '{n2}',
              'k3s.io/internal-ip': '10.1.0.12',
              'k3s.io/node-args': '["agent","--kubelet-arg","cloud-provider=external"]',
            },
          }),
        ],
      },
    ],
  },
  'a Node with a provider ID of the cloud controller of k3s is unchanged': {
    steps: [
      {
        join: [
          on(2, {
            providerId: 'k3s://{n2}',
            isExternal: false,
            nodeIp: '10.1.0.12',
            labels: { 'node.kubernetes.io/instance-type': 'k3s', 'beta.kubernetes.io/instance-type': 'k3s' },
          }),
        ],
      },
    ],
  },
  'an instance type of another writer is replaced by that of the instance': {
    steps: [{ join: [on(2, { labels: { 'node.kubernetes.io/instance-type': 'k3s' } })] }],
  },
  'taints of the cluster autoscaler remain': {
    steps: [
      { join: ['n1'] },
      {
        patch: {
          spec: {
            unschedulable: true,
            taints: [
              { key: 'ToBeDeletedByClusterAutoscaler', value: '1767225600', effect: 'NoSchedule' },
              { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
            ],
          },
        },
        of: 'n1',
      },
    ],
  },
  'a kubelet with --provider-id and --node-ip needs no lookup': {
    steps: [{ join: [on(1, { nodeIp: '10.1.0.11', systemUuid: 'i-1' })] }],
  },
  'a kubelet without an external cloud provider causes no event': {
    steps: [{ join: [on(1, { isExternal: false, nodeIp: '10.1.0.11', labels: { 'example.com/pool': 'a' } })] }],
  },
};
