import type { Service } from '../../src/base/kubernetes-objects.ts';
import { aSlice, ENDPOINT_SLICES } from './simulated-cluster.ts';
import { aPodSlice } from './pods.ts';
import { loadBalancers, type Running } from './running-controller.ts';
import { aService } from './service.ts';

/** The calls that add and remove backends. Tests of running controllers change and read backends with the functions of this file. */
export const ADD = 'AddVServerGroupBackendServers';
export const REMOVE = 'RemoveVServerGroupBackendServers';
export const BACKEND_TYPE = 'service.beta.kubernetes.io/backend-type';

/** Returns the Service in Local mode, in which the Nodes of its pods are the backends. */
export const inLocalMode = (service: Service): Service => ({
  ...service,
  spec: { ...service.spec, externalTrafficPolicy: 'Local' },
});

/** Replaces the pods of a Service with a ready pod on each of these Nodes. */
export function putOnNodes({ cluster }: Running, nodes: readonly string[], service = aService()): void {
  cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, nodes));
}

/** Replaces the pods of a Service with pods of these numbers, each with its own network interface. */
export function putPods(
  { cluster }: Running,
  pods: Parameters<typeof aPodSlice>[1],
  service = aService(),
  isReady = true,
): void {
  const slice = aPodSlice(service, pods);
  const endpoints = (slice.endpoints ?? []).map((endpoint) => ({ ...endpoint, conditions: { ready: isReady } }));
  cluster.kubernetes.put(ENDPOINT_SLICES, { ...slice, endpoints });
}

/** Returns the backends of all load balancers, or of one load balancer. */
const backends = (run: Running, loadBalancerId?: string) =>
  loadBalancers(run)
    .filter(({ id }) => loadBalancerId === undefined || id === loadBalancerId)
    .flatMap(({ serverGroups }) => serverGroups.flatMap((group) => group.backends));

/** Returns the instances and interfaces that are backends of all load balancers, or of one load balancer. */
export const serversOf = (run: Running, loadBalancerId?: string): readonly string[] =>
  backends(run, loadBalancerId).map(({ serverId }) => serverId);

/** Returns the backends of the server groups of this name, with their weights. */
export const weightsOf = (run: Running, group: string): readonly (readonly [string, number])[] =>
  loadBalancers(run).flatMap(({ serverGroups }) =>
    serverGroups
      .filter(({ name }) => name === group)
      .flatMap((each) => each.backends.map(({ serverId, weight }) => [serverId, weight] as const)),
  );
