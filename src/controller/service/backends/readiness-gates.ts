import { podOf } from '../../../clb/desired/endpoints.ts';
import type { Located } from '../../../clb/desired/pod-interfaces.ts';
import { hasReason } from '../../../base/errors.ts';
import {
  keyOf,
  objectKey,
  PODS,
  type EndpointSlice,
  type ObjectKey,
  type Pod,
  type Service,
} from '../../../base/kubernetes-objects.ts';
import type { Store } from '../../../base/cache-interfaces.ts';
import type { KnownAddresses } from './eni-lookup.ts';
import { gatesOf, INDEX, READINESS_GATE, type KubernetesWriter } from '../../kubernetes-interface.ts';

const gateOf = ({ metadata }: Service): string => READINESS_GATE + metadata.name;

type Condition = NonNullable<NonNullable<Pod['status']>['conditions']>[number];

const conditionOf = ({ status }: Pod, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

const hasReadyContainers = (pod: Pod): boolean => conditionOf(pod, 'ContainersReady')?.status === 'True';

/** Returns the Services that a pod's readiness gates name. The pod becomes ready only as a backend of their load balancers. */
export const gatingServices = (pod: Pod): readonly ObjectKey[] =>
  gatesOf(pod).map((gate) => objectKey(gate.slice(READINESS_GATE.length), pod.metadata.namespace));

/** Returns the properties of a pod that affect its readiness gates, as text. A change that keeps the text needs no reconcile. */
export const gateTraits = (pod: Pod): string =>
  JSON.stringify([hasReadyContainers(pod), gatesOf(pod), gatesOf(pod).map((gate) => conditionOf(pod, gate)?.status)]);

/**
 * Returns the pods in a Service's slices that have ready containers and the readiness gate of the Service, with their addresses. Omits terminating
 * pods.
 */
function gatedPods(
  service: Service,
  slices: readonly EndpointSlice[],
  pods: Store<Pod>,
): readonly { readonly pod: Pod; readonly address: string }[] {
  // Most Services have no pods with a readiness gate, so a search of thousands of endpoints is avoided.
  if (pods.byIndex(INDEX.podsByGate, gateOf(service)).length === 0) return [];
  return slices.flatMap(({ endpoints, metadata }) =>
    (endpoints ?? []).flatMap((endpoint) => {
      const key = podOf(endpoint, metadata.namespace);
      const pod = key === undefined ? undefined : pods.get(key);
      const [address] = endpoint.addresses;
      const isOver = endpoint.conditions?.terminating === true;
      if (pod === undefined || address === undefined || isOver) return [];
      return gatesOf(pod).includes(gateOf(service)) && hasReadyContainers(pod) ? [{ pod, address }] : [];
    }),
  );
}

/** Returns the gated pods with ready containers, which count as ready endpoints: a pod passes its gate only as a backend. */
export const podsWithGate = (
  service: Service,
  slices: readonly EndpointSlice[],
  pods: Store<Pod>,
): ReadonlySet<ObjectKey> => new Set(gatedPods(service, slices, pods).map(({ pod }) => keyOf(pod)));

/** The readiness gate condition of a pod. */
interface GateCondition {
  readonly status: 'True' | 'False';
  readonly reason: 'ServerRegistered' | 'ServerInvalidServer';
  readonly message: string;
}

const registered: GateCondition = {
  status: 'True',
  reason: 'ServerRegistered',
  message: 'The pod is a backend of the load balancer',
};
const invalid = (address: string): GateCondition => ({
  status: 'False',
  reason: 'ServerInvalidServer',
  message: `No network interface in use has the address ${address}`,
});

/** The state of a Service's backends that decides the conditions of its pods. */
export interface BackendReport {
  readonly service: Service;
  readonly slices: readonly EndpointSlice[];
  readonly missing: Located['missing'];
  /** The known addresses. The pod of an address outside the VPC is no backend and gets no condition. */
  readonly addresses: KnownAddresses;
  /** The addresses that are backends after a blocked or failed sync; undefined if all desired backends are registered. */
  readonly registered?: ReadonlySet<string>;
}

/** Returns the condition for the pod of an address; undefined if the pod gets no condition. */
function gateConditionFor(
  address: string,
  { missing, addresses, registered: backends }: BackendReport,
): GateCondition | undefined {
  const known = addresses.get(address);
  if (known !== undefined && known.serverId === undefined) return undefined;
  if (missing.has(address)) return invalid(address);
  return backends === undefined || backends.has(address) ? registered : undefined;
}

/** Writes the readiness gate conditions of pods that wait for the Service. Returns the first failure after the writes of all pods. */
export async function writeReadinessGates(
  report: BackendReport,
  { pods, writer, now }: { readonly pods: Store<Pod>; readonly writer: KubernetesWriter; readonly now: number },
  signal: AbortSignal,
): Promise<unknown> {
  const { service, slices } = report;
  const type = gateOf(service);
  let failure: unknown;
  for (const { pod, address } of gatedPods(service, slices, pods)) {
    const wanted = gateConditionFor(address, report);
    if (wanted === undefined) continue;
    const existing = conditionOf(pod, type);
    // The message can differ, because the Alibaba Cloud Controller Manager writes another message.
    if (existing?.status === wanted.status && existing.reason === wanted.reason) continue;
    const lastTransitionTime =
      existing?.status === wanted.status ? existing.lastTransitionTime : new Date(now).toISOString();
    const patch = {
      metadata: { uid: pod.metadata.uid },
      status: { conditions: [{ type, ...wanted, lastTransitionTime }] },
    };
    try {
      await writer.mergePatch(PODS, keyOf(pod), patch, { subresource: 'status', strategic: true }, signal);
    } catch (error) {
      if (!hasReason(error, 'NotFound')) failure ??= error;
    }
  }
  return failure;
}
