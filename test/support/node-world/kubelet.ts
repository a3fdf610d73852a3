import { UNINITIALIZED } from '../../../src/node/taints.ts';
import type { Taint } from '../../../src/node/taints.ts';

/** The parts of a Node's registration in which the Nodes of scenarios differ. */
export interface Registration {
  /** The name in the scenario. */
  readonly name: string;
  /** `--provider-id`. Not set if empty. */
  readonly providerId?: string;
  /** `--node-ip`: one address, or one of each family joined by a comma. */
  readonly nodeIp?: string;
  /** The addresses in place of those that the kubelet detects. */
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** `--register-with-taints`. */
  readonly taints?: readonly Taint[];
  /** True if the kubelet runs with an external cloud provider. Defaults to true. */
  readonly isExternal?: boolean;
  readonly systemUuid?: string;
  /** Preset pod ranges, in place of those that kube-controller-manager assigns. */
  readonly podCidrs?: readonly string[];
  /** The status of the condition Ready. Defaults to True. With `never`, the kubelet writes no conditions. */
  readonly ready?: 'True' | 'False' | 'never';
}

/** Returns the condition Ready as a kubelet writes it, or as kube-controller-manager does if the kubelet is silent. */
export const readyCondition = (status: string, atMs: number): object => ({
  type: 'Ready',
  status,
  reason: status === 'True' ? 'KubeletReady' : status === 'Unknown' ? 'NodeStatusUnknown' : 'KubeletNotReady',
  message: status === 'True' ? 'kubelet is posting ready status' : 'Kubelet stopped posting node status.',
  lastHeartbeatTime: seconds(atMs),
  lastTransitionTime: seconds(atMs),
});

const seconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

const PRESSURES = [
  ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const;

/** Returns the addresses of a kubelet with `--cloud-provider=external`: its host name, and its IP address only if configured. */
function addressesOf({ addresses, nodeIp }: Registration, fullName: string): readonly object[] {
  const nodeIps = (nodeIp ?? '').split(',').filter((address) => address !== '');
  return (
    addresses ?? [
      ...nodeIps.map((address) => ({ type: 'InternalIP', address })),
      { type: 'Hostname', address: fullName },
    ]
  );
}

/** Returns the Node as a kubelet of Kubernetes 1.36 registers it. `atMs` is the kubelet's time. */
export function kubeletNode(registration: Registration, fullName: string, atMs: number): object {
  const { providerId = '', nodeIp, podCidrs, ready = 'True', isExternal = true } = registration;
  const pressures = PRESSURES.map(([type, reason, message]) => ({
    ...{ type, reason, message, status: 'False' },
    ...{ lastHeartbeatTime: seconds(atMs), lastTransitionTime: seconds(atMs) },
  }));
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: fullName,
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': fullName,
        'kubernetes.io/os': 'linux',
        ...registration.labels,
      },
      annotations: {
        'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
        ...(nodeIp === undefined ? {} : { 'alpha.kubernetes.io/provided-node-ip': nodeIp }),
        ...registration.annotations,
      },
    },
    spec: {
      ...(providerId === '' ? {} : { providerID: providerId }),
      ...(podCidrs === undefined ? {} : { podCIDR: podCidrs[0], podCIDRs: podCidrs }),
      taints: [
        ...(isExternal ? [{ key: UNINITIALIZED, value: 'true', effect: 'NoSchedule' }] : []),
        ...(registration.taints ?? []),
      ],
    },
    status: {
      capacity: { cpu: '1', 'ephemeral-storage': '0', memory: '3840Mi', pods: '110' },
      allocatable: { cpu: '1', 'ephemeral-storage': '0', memory: '3840Mi', pods: '110' },
      addresses: addressesOf(registration, fullName),
      ...(ready === 'never' ? {} : { conditions: [...pressures, readyCondition(ready, atMs)] }),
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        ...{ architecture: 'amd64', bootID: '', machineID: '', systemUUID: registration.systemUuid ?? '' },
        ...{ kernelVersion: '6.12.0', operatingSystem: 'linux', osImage: 'Alibaba Cloud Linux 3' },
        ...{ containerRuntimeVersion: 'containerd://2.1.4', kubeletVersion: 'v1.36.3', kubeProxyVersion: '' },
      },
    },
  };
}
