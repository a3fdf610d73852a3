import { LOAD_BALANCER_BINDINGS } from '../../src/inventory/binding.ts';
import type { Service } from '../../src/base/objects.ts';
import { aCluster, keyOf, SERVICES, type Cluster } from './cluster.ts';
import type { ControllerProcess, ProcessOptions } from './controller-process.ts';
import { aService, type ServiceSaid } from './service.ts';

/** The key of an annotation. */
export const annotation = (suffix: string): string => `service.beta.kubernetes.io/alibaba-cloud-loadbalancer-${suffix}`;

/** Annotations by their keys, given by their suffix; a null takes one away. */
export const annotated = <Value extends string | null>(
  said: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(said).map(([suffix, value]) => [annotation(suffix), value]));

export interface Running {
  readonly cluster: Cluster;
  readonly process: ControllerProcess;
}

/** A cluster whose controller runs. */
export async function running(options: Partial<ProcessOptions> = {}, seed?: object): Promise<Running> {
  const cluster = aCluster();
  if (seed !== undefined) cluster.simulator.seed(seed);
  const process = cluster.start(options);
  await cluster.quiet(1_000);
  return { cluster, process };
}

/** Stores a Service and lets a minute pass. */
export const apply = async ({ cluster }: Running, said: ServiceSaid = {}): Promise<void> => {
  cluster.kubernetes.put(SERVICES, aService(said));
  await cluster.quiet();
};
/** Patches it and lets a minute pass. */
export const patch = async ({ cluster }: Running, change: object, service: Service = aService()): Promise<void> => {
  cluster.kubernetes.patch(SERVICES, keyOf(service), change);
  await cluster.quiet();
};
/** The messages of the events of one reason. */
export const events = ({ cluster }: Running, reason: string): readonly string[] =>
  cluster.kubernetes.told.filter((event) => event.reason === reason).map(({ message }) => message);
/** What the cloud has. */
export const loadBalancers = ({ cluster }: Running) =>
  (
    cluster.simulator.state() as {
      loadBalancers: {
        id: string;
        name: string;
        address: string;
        deleteProtection: string;
        internetChargeType: string;
        bandwidth: number;
        tags: Record<string, string>;
        listeners: { port: number; protocol: string; status: string; attributes: Record<string, unknown> }[];
        serverGroups: {
          id: string;
          name: string;
          backends: { serverId: string; serverIp?: string; port: number; weight: number }[];
        }[];
      }[];
    }
  ).loadBalancers;
/** The calls that changed something after the `since`-th call. */
export const changes = ({ cluster }: Running, since = 0): readonly string[] =>
  cluster.journal(since).flatMap(({ kind, action }) => (kind === 'write' ? [action] : []));
/** How many calls there were so far. */
export const now = ({ cluster }: Pick<Running, 'cluster'>): number => cluster.simulator.journal().length;
/** Where the Service says that it is to be reached. */
export const ingress = ({ cluster }: Running, name = 'web') => cluster.service(name)?.status?.loadBalancer?.ingress;

/** The condition of the Service. */
export const conditionOf = ({ cluster }: Running, name = 'web') =>
  cluster.service(name)?.status?.conditions?.find(({ type }) => type === 'LoadBalancerReady');
/** What the condition of the Service says: its status and its reason. */
export const standing = (
  run: Running,
  name?: string,
): readonly [status: string | undefined, reason: string | undefined] => {
  const condition = conditionOf(run, name);
  return [condition?.status, condition?.reason];
};
/** Somebody deletes the binding of a Service. */
export function deleteBinding({ cluster }: Running, name?: string, namespace?: string): void {
  const binding = cluster.binding(name, namespace);
  if (binding !== undefined) cluster.kubernetes.delete(LOAD_BALANCER_BINDINGS, keyOf(binding));
}
/** The writes of the controller after the `since`-th, by verb, kind and subresource. */
export const writesSince = ({ cluster }: Running, since = 0): readonly string[] =>
  cluster.kubernetes.writes
    .slice(since)
    .map(({ verb, plural, subresource }) =>
      [verb, plural, ...(subresource === undefined ? [] : [subresource])].join(' '),
    );
/** What it says to people. */
export const messageOf = (run: Running): string => conditionOf(run)?.message ?? '';
