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
} from '../../../src/base/kubernetes-objects.ts';
import type { ProcessOptions } from '../simulated-controller.ts';
import { aCluster, aSlice, ENDPOINT_SLICES, NODES, SERVICES, type Cluster } from '../simulated-cluster.ts';
import {
  creationParameters,
  kindOf,
  listenerParameters,
  namedGroup,
  type ListenerKind,
  type Annotations,
} from './annotation-parameters.ts';
import { annotation } from '../running-controller.ts';
import { aService } from '../service.ts';
import type { Parameters } from '../simulator.ts';

/** A member of a server group, in the format of the cloud's API. */
export interface Server {
  readonly ServerId: string;
  readonly ServerIp?: string;
  /** Defaults to the port in the name of the group. */
  readonly Port?: number;
  readonly Weight: number;
  readonly Type: 'ecs' | 'eni';
  /** The description of a user's member. Defaults to the name of the group. */
  readonly Description?: string;
}

/** Changes that users can make in the cloud. */
export interface Console extends Pick<Cluster, 'ask'> {
  readonly simulator: { seed(input: SeedInput): unknown };
}

/** A change of the Service after the takeover, and its expected changing calls. */
export interface LaterChange {
  readonly act: (cluster: Cluster, service: Service) => void;
  readonly calls: readonly string[];
}

/** A kind of Service that the Alibaba Cloud Controller Manager (the existing controller) synced. Tests then start the controller of Portcullis. */
export interface LeftBehind {
  /** The annotations by suffix. A key with a slash is used unchanged. */
  readonly annotations?: Annotations;
  /** The meaning of the annotations if their spelling is not the current one. */
  readonly meant?: Annotations;
  /** The ports. Numbers stand for TCP ports. Defaults to 80. */
  readonly ports?: readonly (number | ServicePort)[];
  readonly spec?: object;
  readonly slice?: (service: Service) => EndpointSlice;
  readonly pods?: readonly Pod[];
  /** Nodes in addition to `n1`, `n2` and `n3` on the instances `i-1`, `i-2` and `i-3`. */
  readonly nodes?: readonly Node[];
  /** Further cloud resources, including the load balancer if it is reused. */
  readonly world?: SeedInput;
  /** Creation parameters of the load balancer that differ from the current ones. */
  readonly created?: Parameters;
  /** Returns the port in the name of a group. Defaults to the node port. */
  readonly groupPort?: (port: ServicePort) => number | string;
  /** The members. Defaults to the three Nodes with weight 100. */
  readonly servers?: readonly Server[];
  /** True if the reused load balancer has the reuse tag. */
  readonly isMarked?: boolean;
  /** Changes the cloud as a user after the sync, by the id of the load balancer. */
  readonly since?: (console: Console, id: string) => Promise<void>;
  /** The published addresses. Defaults to the address of the load balancer. */
  readonly ingress?: readonly object[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly settings?: ProcessOptions['settings'];
  /** The reason of the condition after the takeover. Defaults to the reason of a synced Service. */
  readonly standing?: string;
  readonly later?: LaterChange;
}

/** The identity of a Service. */
export interface Identity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly clusterId: string;
}

/** The identity with the published example of a UID and the name derived from it. */
const WEB: Identity = {
  name: 'web',
  namespace: 'shop',
  uid: '5e4dbfc9-c2ae-4642-b033-5607860aef6a',
  clusterId: 'c1',
};

const ecs = (ServerId: string, Weight = 100): Server => ({ ServerId, Weight, Type: 'ecs' });
/** Returns members on the instances of these Nodes. */
export const onNodes = (weights: readonly number[]): readonly Server[] =>
  weights.map((weight, index) => ecs(`i-${index + 1}`, weight));
/** Returns members that are pods. */
export const onPods = (pods: readonly number[], port: number, weight = 100): readonly Server[] =>
  pods.map((pod) => ({ ServerId: `eni-${pod}`, ServerIp: `10.1.1.${pod}`, Port: port, Weight: weight, Type: 'eni' }));

/** Returns the Service as a user created it. */
export const serviceOf = ({ annotations = {}, ports, spec }: LeftBehind, identity: Partial<Identity> = {}): Service => {
  const keyed = Object.entries(annotations).map(([key, value]) => [key.includes('/') ? key : annotation(key), value]);
  const service = aService({
    ...identity,
    annotations: Object.fromEntries(keyed) as Annotations,
    ...(ports === undefined ? {} : { ports }),
  });
  return {
    ...service,
    spec: { ...service.spec, selector: { app: 'web' }, externalTrafficPolicy: 'Cluster', ...spec },
  };
};

const OPERATION: Readonly<Record<ListenerKind, string>> = { tcp: 'TCP', udp: 'UDP', http: 'HTTP', https: 'HTTPS' };

/** Makes the cloud changes of the existing controller for a new Service. Tests of takeovers start from this state. */
export class ExistingController {
  readonly #left: LeftBehind;
  readonly #annotations: Annotations;
  readonly #identity: Identity;
  readonly #ask: Console['ask'];

  constructor(left: LeftBehind, identity: Identity, ask: Console['ask']) {
    this.#left = left;
    this.#annotations = { ...left.annotations, ...left.meant };
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

  /** Creates everything that the Service wants. Returns the id of the load balancer. */
  async serve(ports: readonly ServicePort[]): Promise<string> {
    const id = await this.#loadBalancer();
    const managesListeners =
      this.#annotations['id'] === undefined || this.#annotations['force-override-listeners'] === 'true';
    const groups = new Map<string, string>();
    for (const port of ports) {
      const name = this.#named(this.#groupPort(port));
      const groupId = groups.get(name) ?? (await this.#group(id, name, port));
      groups.set(name, groupId);
    }
    // Listeners that forward come last, because their target must exist.
    const forwards = ({ port }: ServicePort): boolean =>
      `,${this.#annotations['forward-port'] ?? ''}`.includes(`,${port}:`);
    const inOrder = ports.toSorted((left, right) => Number(forwards(left)) - Number(forwards(right)));
    for (const port of managesListeners ? inOrder : []) {
      await this.#listener(id, port, forwards(port) ? undefined : groups.get(this.#named(this.#groupPort(port))));
    }
    return id;
  }

  async #loadBalancer(): Promise<string> {
    const { id } = this.#annotations;
    if (id === undefined) {
      const { uid, clusterId } = this.#identity;
      const ownName = `a${uid.replaceAll('-', '')}`.slice(0, 32);
      const parameters = { ...creationParameters(this.#annotations, ownName, clusterId), ...this.#left.created };
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
      namedGroup(this.#annotations, port.port) ??
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
    const kind = kindOf(this.#annotations, port, protocol);
    await this.#ask(`CreateLoadBalancer${OPERATION[kind]}Listener`, {
      LoadBalancerId,
      ListenerPort: port,
      Description: this.#named(port),
      VServerGroupId: group,
      ...listenerParameters(this.#annotations, kind, port),
    });
    for (const entry of kind === 'https' ? (this.#annotations['domain-extensions']?.split(',') ?? []) : []) {
      const [Domain = '', ServerCertificateId = ''] = entry.split(':');
      await this.#ask('CreateDomainExtension', { LoadBalancerId, ListenerPort: port, Domain, ServerCertificateId });
    }
    const key = { LoadBalancerId, ListenerPort: port, ListenerProtocol: kind };
    await this.#ask('StartLoadBalancerListener', key);
  }
}

/** Returns the metadata and status that the existing controller writes after a sync. */
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
  // The API server adds `ipMode` to the address.
  status: { loadBalancer: { ingress: left.ingress ?? [{ ip: address, ipMode: 'VIP' }] } },
});

/** Returns the slice of the Service's pods. */
export const sliceOf = (left: LeftBehind, service: Service): EndpointSlice =>
  (left.slice ?? ((each) => aSlice(each, ['n1', 'n2'])))(service);

/** Creates a cluster and a cloud as the existing controller left them, without a running controller. */
export async function leaveBehind(left: LeftBehind): Promise<{ cluster: Cluster; service: Service; id: string }> {
  const cluster = aCluster();
  if (left.world !== undefined) cluster.simulator.seed(left.world);
  for (const node of left.nodes ?? []) cluster.kubernetes.put(NODES, node);
  for (const pod of left.pods ?? []) cluster.kubernetes.put(PODS, pod);
  const service = serviceOf(left, WEB);
  cluster.kubernetes.put(ENDPOINT_SLICES, sliceOf(left, service));
  const ask: Console['ask'] = async (action, parameters) => {
    const answer = await cluster.ask(action, parameters);
    // Listeners take a moment to become stable, and the cloud limits the rate of calls.
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
