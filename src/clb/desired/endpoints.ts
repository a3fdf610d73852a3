import {
  objectKey,
  type Endpoint,
  type EndpointSlice,
  type ObjectKey,
  type ServicePort,
} from '../../base/kubernetes-objects.ts';

/** The EndpointSlices of a Service, and the settings that decide which of their addresses receive traffic. */
export interface Pods {
  readonly slices: readonly EndpointSlice[];
  /** The IP family of the addresses. A dual-stack pod has endpoints in slices of each family. */
  readonly family: 'IPv4' | 'IPv6';
  /** Whether Kubernetes creates the slices, from a selector. If users create the slices, each slice specifies the target port. */
  readonly hasSelector: boolean;
  /** Pods that lack only the readiness gate of the controller. Such pods count as ready, because the controller opens the gate only for backends. */
  readonly awaiting: ReadonlySet<ObjectKey>;
}

/** An address behind a port of a Service, and the port at that address. */
export interface PodEndpoint {
  readonly address: string;
  readonly port: number;
  readonly nodeName?: string;
  /** The uid of the pod, or the name of its Node if the uid is unknown, or empty. */
  readonly pod: string;
}

const isInNamespace = ({ targetRef }: Endpoint, namespace: string): boolean =>
  (targetRef?.namespace ?? namespace) === namespace;

/** Returns a slice without endpoints of other namespaces, so that a user who may write slices cannot send traffic to pods of other namespaces. */
export function ofOwnNamespace(slice: EndpointSlice): EndpointSlice {
  const { endpoints = [], metadata } = slice;
  const own = endpoints.filter((endpoint) => isInNamespace(endpoint, metadata.namespace));
  return own.length === endpoints.length ? slice : { ...slice, endpoints: own };
}

/** Returns the names of the slices that reference pods of other namespaces. */
export const slicesAcrossNamespaces = (slices: readonly EndpointSlice[]): readonly string[] =>
  slices.filter((slice) => ofOwnNamespace(slice) !== slice).map(({ metadata }) => metadata.name);

/** Returns the key of the pod of an endpoint; undefined if the endpoint references no pod. */
export function podOf({ targetRef }: Endpoint, namespace: string): ObjectKey | undefined {
  if (targetRef?.kind !== 'Pod' || targetRef.name === undefined) return undefined;
  return objectKey(targetRef.name, targetRef.namespace ?? namespace);
}

const READY = 2;
const ENDING = 1;

/** Returns the rank of an endpoint: `READY`, `ENDING`, or 0 for an endpoint without traffic. Unknown readiness means ready, as in Kubernetes. */
function rankOf(endpoint: Endpoint, namespace: string, { awaiting }: Pods): number {
  const { ready, serving, terminating } = endpoint.conditions ?? {};
  if (terminating === true) return (serving ?? ready ?? true) ? ENDING : 0;
  if (ready ?? true) return READY;
  const pod = podOf(endpoint, namespace);
  return pod !== undefined && awaiting.has(pod) ? READY : 0;
}

/** Returns the target port in a slice; undefined if the slice does not serve the port of the Service. */
function targetIn({ ports }: EndpointSlice, port: ServicePort, { hasSelector }: Pods): number | undefined {
  const isSame = ({ name }: { readonly name?: string }): boolean => (name ?? '') === (port.name ?? '');
  // A slice without a list of ports serves all ports.
  if (!(ports?.some(isSame) ?? true)) return undefined;
  const wanted = port.targetPort ?? port.port;
  const fixed = typeof wanted === 'number' ? wanted : undefined;
  const slicePort = ports?.find(isSame)?.port;
  return hasSelector ? (fixed ?? slicePort) : (slicePort ?? fixed);
}

/** Returns the addresses behind a port that receive traffic, each address once. */
export function podEndpoints(port: ServicePort, pods: Pods): readonly PodEndpoint[] {
  const found = new Map<string, { readonly rank: number; readonly endpoint: PodEndpoint }>();
  for (const slice of pods.slices) {
    const target = slice.addressType === pods.family ? targetIn(slice, port, pods) : undefined;
    if (target === undefined) continue;
    for (const endpoint of slice.endpoints ?? []) {
      const [address] = endpoint.addresses;
      const rank = rankOf(endpoint, slice.metadata.namespace, pods);
      if (address === undefined || rank === 0 || rank <= (found.get(address)?.rank ?? 0)) continue;
      found.set(address, { rank, endpoint: readEndpoint(endpoint, address, target) });
    }
  }
  // Without a ready pod, terminating pods receive the traffic, as inside the cluster.
  const best = Math.max(0, ...[...found.values()].map(({ rank }) => rank));
  return [...found.values()].flatMap(({ rank, endpoint }) => (rank === best ? [endpoint] : []));
}

function readEndpoint({ nodeName, targetRef }: Endpoint, address: string, port: number): PodEndpoint {
  return {
    address,
    port,
    pod: targetRef?.uid ?? nodeName ?? '',
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}
