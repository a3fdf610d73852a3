import { LOAD_BALANCER_BINDINGS } from '../../src/inventory/binding.ts';
import type { Service } from '../../src/base/kubernetes-objects.ts';
import { aCluster, keyOf, SERVICES, type Cluster } from './simulated-cluster.ts';
import type { ControllerProcess, ProcessOptions } from './simulated-controller.ts';
import { aService, type ServiceInput } from './service.ts';

/** Returns the key of an annotation. */
export const annotation = (suffix: string): string => `service.beta.kubernetes.io/alibaba-cloud-loadbalancer-${suffix}`;

/** Replaces the suffixes by full annotation keys. A null removes an annotation. */
export const annotated = <Value extends string | null>(
  input: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(input).map(([suffix, value]) => [annotation(suffix), value]));

export interface Running {
  readonly cluster: Cluster;
  readonly process: ControllerProcess;
}

/** Creates a cluster with a running controller, in virtual time and in this process. */
export async function running(options: Partial<ProcessOptions> = {}, seed?: object): Promise<Running> {
  const cluster = aCluster();
  if (seed !== undefined) cluster.simulator.seed(seed);
  const process = cluster.start(options);
  await cluster.quiet(1_000);
  return { cluster, process };
}

/** Stores a Service and advances the clock by a minute. */
export const apply = async ({ cluster }: Running, input: ServiceInput = {}): Promise<void> => {
  cluster.kubernetes.put(SERVICES, aService(input));
  await cluster.quiet();
};
/** Patches a Service and advances the clock by a minute. */
export const patch = async ({ cluster }: Running, change: object, service: Service = aService()): Promise<void> => {
  cluster.kubernetes.patch(SERVICES, keyOf(service), change);
  await cluster.quiet();
};
/** Returns the messages of the events with this reason. */
export const events = ({ cluster }: Running, reason: string): readonly string[] =>
  cluster.kubernetes.events.filter((event) => event.reason === reason).map(({ message }) => message);
/** Returns the load balancers of the cloud. */
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
/** Returns the changing calls after the first `since` calls. */
export const changes = ({ cluster }: Running, since = 0): readonly string[] =>
  cluster.journal(since).flatMap(({ kind, action }) => (kind === 'write' ? [action] : []));
/** Returns the number of calls so far. */
export const callCount = ({ cluster }: Pick<Running, 'cluster'>): number => cluster.simulator.journal().length;
/** Returns the published addresses of the Service. */
export const ingress = ({ cluster }: Running, name = 'web') => cluster.service(name)?.status?.loadBalancer?.ingress;

export const conditionOf = ({ cluster }: Running, name = 'web') =>
  cluster.service(name)?.status?.conditions?.find(({ type }) => type === 'LoadBalancerReady');
/** Returns status and reason of the condition of the Service. */
export const statusAndReason = (
  run: Running,
  name?: string,
): readonly [status: string | undefined, reason: string | undefined] => {
  const condition = conditionOf(run, name);
  return [condition?.status, condition?.reason];
};
/** Deletes the binding of a Service as a user. */
export function deleteBinding({ cluster }: Running, name?: string, namespace?: string): void {
  const binding = cluster.binding(name, namespace);
  if (binding !== undefined) cluster.kubernetes.delete(LOAD_BALANCER_BINDINGS, keyOf(binding));
}
/** Returns the controller's writes after the first `since` writes, by verb, kind and subresource. */
export const writesSince = ({ cluster }: Running, since = 0): readonly string[] =>
  cluster.kubernetes.writes
    .slice(since)
    .map(({ verb, plural, subresource }) =>
      [verb, plural, ...(subresource === undefined ? [] : [subresource])].join(' '),
    );
/** Returns the message of the condition. */
export const messageOf = (run: Running): string => conditionOf(run)?.message ?? '';
