import type { ServicePort } from '../../../src/base/kubernetes-objects.ts';
import { addressOf } from '../pods.ts';
import { annotation } from '../running-controller.ts';
import type { Names } from './stable-values.ts';
import { SCENARIO } from './scenario-requests.ts';
import type { WrittenEndpoint, WrittenNode, WrittenService } from './scenario-schema.ts';

/** An object that the user of a scenario sends to the API server. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: object;
  readonly status?: object;
}

/** Returns fields by the full keys of annotations. A key with a slash stays as it is. */
export const keyed = <Value>(fields: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key.includes('/') ? key : annotation(key), value]));

type Port = Exclude<WrittenService['ports'][number], number>;

/** Returns ports as the API server accepts them: several ports have names, and node ports belong to the scenario. */
export function portsOf(ports: WrittenService['ports'], service: string, names: Names): readonly ServicePort[] {
  return ports.map((fields) => {
    const { port, protocol = 'TCP', ...rest }: Port = typeof fields === 'number' ? { port: fields } : fields;
    const nodePort = names.nodePort(`${service} ${protocol} ${port}`, port, rest.nodePort);
    const name = rest.name ?? `p${port}${protocol === 'UDP' ? 'u' : ''}`;
    return { name, targetPort: rest.targetPort ?? port, port, protocol, nodePort };
  });
}

/** Assigns the health check port here, because a port from the API server may belong to another scenario. */
export const healthCheckPort = (spec: object, service: string, names: Names): object =>
  'externalTrafficPolicy' in spec && spec.externalTrafficPolicy === 'Local'
    ? { healthCheckNodePort: names.nodePort(`${service} health`, 2_000) }
    : {};

const NODE_PORT_TYPES = new Set([undefined, 'LoadBalancer', 'NodePort']);

/** Returns the Service of a scenario as a user sends it to the API server. */
export function serviceOf(
  { name, namespace, annotations, labels, ports, spec }: WrittenService,
  names: Names,
): Manifest {
  const withNodePorts =
    NODE_PORT_TYPES.has(spec['type'] as string | undefined) && spec['allocateLoadBalancerNodePorts'] !== false;
  const all = portsOf(ports, `${namespace}/${name}`, names);
  const kept = withNodePorts ? all : all.map((port) => ({ ...port, nodePort: undefined }));
  const fields = keyed(annotations);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace: names.unique(namespace),
      labels: { [SCENARIO]: names.mark, ...labels },
      annotations: Object.fromEntries(
        Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== null),
      ),
    },
    spec: {
      type: 'LoadBalancer',
      selector: { app: name },
      ports: kept,
      ...healthCheckPort(spec, `${namespace}/${name}`, names),
      ...spec,
    },
  };
}

/** Returns the number at the end of a Node's name. */
const numberOf = (node: string): string => /\d+$/.exec(node)?.[0] ?? '1';

/** Returns the Node of a scenario as its kubelet registers it. */
export function nodeOf(name: string, { labels, ready, providerID, spec }: WrittenNode, names: Names): Manifest {
  const condition = { type: 'Ready', status: ready, reason: 'Kubelet', message: '' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: names.unique(name), labels: { ...(labels as Record<string, string>), [SCENARIO]: names.mark } },
    spec: { providerID: providerID ?? `cn-hangzhou.i-${numberOf(name)}`, ...spec },
    status: { conditions: ready === null ? [] : [condition] },
  };
}

type Endpoint = Exclude<WrittenEndpoint, string | number>;

const wholeEndpoint = (fields: WrittenEndpoint): Endpoint => {
  if (typeof fields === 'string') return { node: fields, ready: true };
  return typeof fields === 'number' ? { pod: fields, ready: true } : fields;
};

function endpointOf(written: WrittenEndpoint, index: number): Endpoint & { readonly address: string } {
  const fields = wholeEndpoint(written);
  const number = typeof fields.pod === 'number' ? fields.pod : undefined;
  const node = fields.node ?? (number === undefined ? undefined : `n${((number - 1) % 3) + 1}`);
  const place = number === undefined ? `10.244.0.${index + 1}` : addressOf(number);
  return { ...fields, address: fields.address ?? place, ...(node === undefined ? {} : { node }) };
}

/** An EndpointSlice of a Service. */
export interface WrittenSlice {
  readonly namespace: string;
  readonly name: string;
  readonly part: number;
  /** The ports of the Service. */
  readonly ports: readonly ServicePort[];
  readonly endpoints: readonly WrittenEndpoint[];
}

/** Returns an EndpointSlice. `nodeName` returns the name of a Node at the API server. */
export function sliceOf(
  { namespace, name, part, ports, endpoints }: WrittenSlice,
  names: Names,
  nodeName: (node: string) => string,
): Manifest {
  const fields = endpoints.map(endpointOf);
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${name}-${part}`,
      namespace: names.unique(namespace),
      labels: { [SCENARIO]: names.mark, 'kubernetes.io/service-name': name },
    },
    addressType: fields.some(({ address }) => address.includes(':')) ? 'IPv6' : 'IPv4',
    ports: ports.map(({ name: portName, port, targetPort, protocol }) => ({
      ...(portName === undefined ? {} : { name: portName }),
      port: typeof targetPort === 'number' ? targetPort : port,
      protocol: protocol ?? 'TCP',
    })),
    endpoints: fields.map(({ address, node, pod, ready, serving, terminating }) => ({
      addresses: [address],
      ...(node === undefined ? {} : { nodeName: nodeName(node) }),
      conditions: defined({ ready: ready ?? undefined, serving, terminating }),
      ...(pod === undefined ? {} : { targetRef: podReference(names.unique(namespace), String(pod)) }),
    })),
  };
  return slice;
}

const podReference = (namespace: string, name: string) => ({ kind: 'Pod', namespace, name, uid: `uid-${name}` });

const defined = (fields: Readonly<Record<string, boolean | undefined>>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
