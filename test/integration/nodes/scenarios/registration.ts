import type { Scenarios } from '../../../support/node-world/scenario.ts';
import { on, unknown } from '../../../support/node-world/said.ts';

const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane';

/** Nodes as the kubelets of kubeadm, k3s and other distributions register them. */
export const REGISTRATION: Scenarios = {
  'a control plane that kubeadm made keeps its role': {
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
  'an agent of k3s, which always tells its address, is found by it': {
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
  'a Node that the cloud controller of k3s has named before it was switched off is left alone': {
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
  'a type that somebody else has written gives way to that of the instance': {
    steps: [{ join: [on(2, { labels: { 'node.kubernetes.io/instance-type': 'k3s' } })] }],
  },
  'marks of the cluster autoscaler stay': {
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
  'a kubelet that is told its provider ID and its address needs nobody to find it': {
    steps: [{ join: [on(1, { nodeIp: '10.1.0.11', systemUuid: 'i-1' })] }],
  },
  'a kubelet that has registered without waiting for a cloud before is told of nothing': {
    steps: [{ join: [on(1, { isExternal: false, nodeIp: '10.1.0.11', labels: { 'example.com/pool': 'a' } })] }],
  },
};
