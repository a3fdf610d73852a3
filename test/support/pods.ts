import type { EndpointSlice, Service } from '../../src/base/kubernetes-objects.ts';
import { aSlice } from './simulated-cluster.ts';

/** Returns the address of pod `n` in the VPC. With `outside`, the address is outside of the VPC. */
export const addressOf = (pod: number | 'outside'): string => (pod === 'outside' ? '192.168.77.1' : `10.1.1.${pod}`);

/** Returns network interfaces `eni-1`, `eni-2`, … as a seed, each with the address of the pod of the same number. */
export const interfacesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `eni-${index + 1}`,
    vSwitchId: 'vsw-1',
    instanceId: `i-${(index % 3) + 1}`,
    privateAddresses: [addressOf(index + 1)],
  }));

/** Returns the slice of a Service's ready pods. `uids` overrides the names and UIDs of pods, by their numbers. */
export function aPodSlice(
  service: Service,
  pods: readonly (number | 'outside')[],
  uids: Readonly<Record<number, string>> = {},
): EndpointSlice {
  const nameOf = (pod: number | 'outside'): string => (pod === 'outside' ? undefined : uids[pod]) ?? `pod-${pod}`;
  return {
    ...aSlice(service, []),
    endpoints: pods.map((pod) => ({
      addresses: [addressOf(pod)],
      nodeName: pod === 'outside' ? 'n1' : `n${((pod - 1) % 3) + 1}`,
      conditions: { ready: true },
      targetRef: { kind: 'Pod', namespace: service.metadata.namespace, name: nameOf(pod), uid: nameOf(pod) },
    })),
  };
}
