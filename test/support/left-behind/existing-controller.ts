import { FINALIZER } from '../../../src/rules/engine/controller-metadata.ts';
import { serviceHash } from '../../../src/controller/service/state/go-hash.ts';
import type { SeedInput } from '../../../src/local/simulator/seed.ts';
import {
  PODS,
  type EndpointSlice,
  type Node,
  type Pod,
  type Service,
  type ServicePort,
} from '../../../src/base/objects.ts';
import type { ProcessOptions } from '../controller-process.ts';
import { aCluster, aSlice, ENDPOINT_SLICES, NODES, SERVICES, type Cluster } from '../cluster.ts';
import {
  creationParameters,
  kindOf,
  listenerParameters,
  namedGroup,
  type ListenerKind,
  type Said,
} from './attributes.ts';
import { annotation } from '../running.ts';
import { aService } from '../service.ts';
import type { Parameters } from '../simulator.ts';

/** A member of a server group, in the words of the cloud's API. */
export interface Server {
  readonly ServerId: string;
  readonly ServerIp?: string;
  /** The port of the group's name unless told. */
  readonly Port?: number;
  readonly Weight: number;
  readonly Type: 'ecs' | 'eni';
  /** Of a person's own member; else the group's name by the scheme. */
  readonly Description?: string;
}

/** What people can do in the cloud. */
export interface Console extends Pick<Cluster, 'ask'> {
  readonly simulator: { seed(input: SeedInput): unknown };
}

/** A change of the Service after the take-over, and the changing calls that it has to cost. */
export interface LaterChange {
  readonly act: (cluster: Cluster, service: Service) => void;
  readonly calls: readonly string[];
}

/** A kind of Service that the existing controller has served, told by what it goes by. */
export interface LeftBehind {
  /** By suffix; a key with a slash is meant as it is. */
  readonly annotations?: Said;
  /** What its annotations come to, where they are not spelt as today. */
  readonly meant?: Said;
  /** Numbers stand for TCP ports; 80 unless told. */
  readonly ports?: readonly (number | ServicePort)[];
  readonly spec?: object;
  readonly slice?: (service: Service) => EndpointSlice;
  readonly pods?: readonly Pod[];
  /** Beside `n1`, `n2` and `n3`, on the instances `i-1`, `i-2` and `i-3`. */
  readonly nodes?: readonly Node[];
  /** What else is in the cloud; the load balancer too, where it is reused. */
  readonly world?: SeedInput;
  /** What the load balancer was made with in place of what is sent today. */
  readonly created?: Parameters;
  /** The port in the name of a port's group: the node port unless told. */
  readonly groupPort?: (port: ServicePort) => number | string;
  /** The three Nodes, of weight 100, unless told. */
  readonly servers?: readonly Server[];
  /** Whether reusing it left the mark. */
  readonly isMarked?: boolean;
  /** What people have changed since, given the load balancer's id. */
  readonly since?: (console: Console, id: string) => Promise<void>;
  /** What its status says; the load balancer's address unless told. */
  readonly ingress?: readonly object[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly settings?: ProcessOptions['settings'];
  /** The reason that its condition gives after the take-over; that all is well unless told. */
  readonly standing?: string;
  readonly later?: LaterChange;
}

/** Whose a Service is, and what it is called. */
export interface Identity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly clusterId: string;
}

/** By the published example of a UID and the name that comes of it. */
const WEB: Identity = {
  name: 'web',
  namespace: 'shop',
  uid: '5e4dbfc9-c2ae-4642-b033-5607860aef6a',
  clusterId: 'c1',
};

const ecs = (ServerId: string, Weight = 100): Server => ({ ServerId, Weight, Type: 'ecs' });
/** Members on the instances of these Nodes. */
export const onNodes = (weights: readonly number[]): readonly Server[] =>
  weights.map((weight, index) => ecs(`i-${index + 1}`, weight));
/** Members that are pods. */
export const onPods = (pods: readonly number[], port: number, weight = 100): readonly Server[] =>
  pods.map((pod) => ({ ServerId: `eni-${pod}`, ServerIp: `10.1.1.${pod}`, Port: port, Weight: weight, Type: 'eni' }));

/** The Service as a person has made it. */
export const serviceOf = ({ annotations = {}, ports, spec }: LeftBehind, identity: Partial<Identity> = {}): Service => {
  const keyed = Object.entries(annotations).map(([key, value]) => [key.includes('/') ? key : annotation(key), value]);
  const service = aService({
    ...identity,
    annotations: Object.fromEntries(keyed) as Said,
    ...(ports === undefined ? {} : { ports }),
  });
  return {
    ...service,
    spec: { ...service.spec, selector: { app: 'web' }, externalTrafficPolicy: 'Cluster', ...spec },
  };
};

const OPERATION: Readonly<Record<ListenerKind, string>> = { tcp: 'TCP', udp: 'UDP', http: 'HTTP', https: 'HTTPS' };

/** Does at the cloud what the existing controller does for a Service that it sees for the first time. */
export class ExistingController {
  readonly #left: LeftBehind;
  readonly #said: Said;
  readonly #identity: Identity;
  readonly #ask: Console['ask'];

  constructor(left: LeftBehind, identity: Identity, ask: Console['ask']) {
    this.#left = left;
    this.#said = { ...left.annotations, ...left.meant };
    this.#identity = identity;
    this.#ask = ask;
  }

  #named(port: number | string): string {
    const { name, namespace, clusterId } = this.#identity;
    return `k8s/${port}/${name}/${namespace}/${clusterId}`;
  }

  #groupPort(port: ServicePort): number | string {
    return this.#left.groupPort?.(port) ?? port.nodePort ?? 0;
  }

  /** The id of the load balancer with all that the Service wants. */
  async serve(ports: readonly ServicePort[]): Promise<string> {
    const id = await this.#loadBalancer();
    const managesListeners = this.#said['id'] === undefined || this.#said['force-override-listeners'] === 'true';
    const groups = new Map<string, string>();
    for (const port of ports) {
      const name = this.#named(this.#groupPort(port));
      const groupId = groups.get(name) ?? (await this.#group(id, name, port));
      groups.set(name, groupId);
    }
    // Those that forward come last.
    const forwards = ({ port }: ServicePort): boolean => `,${this.#said['forward-port'] ?? ''}`.includes(`,${port}:`);
    const inOrder = ports.toSorted((left, right) => Number(forwards(left)) - Number(forwards(right)));
    for (const port of managesListeners ? inOrder : []) {
      await this.#listener(id, port, forwards(port) ? undefined : groups.get(this.#named(this.#groupPort(port))));
    }
    return id;
  }

  async #loadBalancer(): Promise<string> {
    const { id } = this.#said;
    if (id === undefined) {
      const { uid, clusterId } = this.#identity;
      const ownName = `a${uid.replaceAll('-', '')}`.slice(0, 32);
      const parameters = { ...creationParameters(this.#said, ownName, clusterId), ...this.#left.created };
      return String((await this.#ask('CreateLoadBalancer', parameters))['LoadBalancerId']);
    }
    if (this.#left.isMarked !== false) {
      const tag = { 'Tag.1.Key': 'kubernetes.reused.by.user', 'Tag.1.Value': 'true' };
      await this.#ask('TagResources', { ResourceType: 'instance', 'ResourceId.1': id, ...tag });
    }
    return id;
  }

  async #group(loadBalancerId: string, name: string, port: ServicePort): Promise<string> {
    const { servers = onNodes([100, 100, 100]) } = this.#left;
    const members = servers.map((server) => ({ Port: Number(this.#groupPort(port)), Description: name, ...server }));
    const id =
      namedGroup(this.#said, port.port) ??
      String(
        (await this.#ask('CreateVServerGroup', { LoadBalancerId: loadBalancerId, VServerGroupName: name }))[
          'VServerGroupId'
        ],
      );
    for (let at = 0; at < members.length; at += 20) {
      const BackendServers = JSON.stringify(members.slice(at, at + 20));
      await this.#ask('AddVServerGroupBackendServers', { VServerGroupId: id, BackendServers });
    }
    return id;
  }

  async #listener(LoadBalancerId: string, { port, protocol }: ServicePort, group: string | undefined): Promise<void> {
    const kind = kindOf(this.#said, port, protocol);
    await this.#ask(`CreateLoadBalancer${OPERATION[kind]}Listener`, {
      LoadBalancerId,
      ListenerPort: port,
      Description: this.#named(port),
      VServerGroupId: group,
      ...listenerParameters(this.#said, kind, port),
    });
    for (const entry of kind === 'https' ? (this.#said['domain-extensions']?.split(',') ?? []) : []) {
      const [Domain = '', ServerCertificateId = ''] = entry.split(':');
      await this.#ask('CreateDomainExtension', { LoadBalancerId, ListenerPort: port, Domain, ServerCertificateId });
    }
    const key = { LoadBalancerId, ListenerPort: port, ListenerProtocol: kind };
    await this.#ask('StartLoadBalancerListener', key);
  }
}

/** What the existing controller writes into a Service when all is done. */
export const marksOf = (
  left: LeftBehind,
  service: Service,
  id: string,
  address: string,
): Pick<Service, 'metadata' | 'status'> => ({
  metadata: {
    ...service.metadata,
    labels: left.labels ?? {
      'service.beta.kubernetes.io/hash': serviceHash(service),
      'service.k8s.alibaba/loadbalancer-id': id,
    },
    finalizers: [FINALIZER],
  },
  // The API server adds how the address is to be reached.
  status: { loadBalancer: { ingress: left.ingress ?? [{ ip: address, ipMode: 'VIP' }] } },
});

/** The slice of the Service's pods. */
export const sliceOf = (left: LeftBehind, service: Service): EndpointSlice =>
  (left.slice ?? ((each) => aSlice(each, ['n1', 'n2'])))(service);

/** A cluster and a cloud as the existing controller has left them, with nobody who looks after them. */
export async function leaveBehind(left: LeftBehind): Promise<{ cluster: Cluster; service: Service; id: string }> {
  const cluster = aCluster();
  if (left.world !== undefined) cluster.simulator.seed(left.world);
  for (const node of left.nodes ?? []) cluster.kubernetes.put(NODES, node);
  for (const pod of left.pods ?? []) cluster.kubernetes.put(PODS, pod);
  const service = serviceOf(left, WEB);
  cluster.kubernetes.put(ENDPOINT_SLICES, sliceOf(left, service));
  const ask: Console['ask'] = async (action, parameters) => {
    const answer = await cluster.ask(action, parameters);
    // Listeners take a moment to come to rest, and the rate of calls is the cloud's.
    await cluster.quiet(1_000);
    return answer;
  };
  const id = await new ExistingController(left, WEB, ask).serve(service.spec?.ports ?? []);
  await left.since?.(cluster, id);
  await cluster.quiet();
  const { Address: ip } = await cluster.ask('DescribeLoadBalancerAttribute', { LoadBalancerId: id });
  const stored = cluster.kubernetes.put(SERVICES, { ...service, ...marksOf(left, service, id, String(ip)) });
  return { cluster, service: stored, id };
}
