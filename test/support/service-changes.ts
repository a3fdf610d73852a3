import type { Service } from '../../src/base/kubernetes-objects.ts';
import { keyOf, SERVICES } from './simulated-cluster.ts';
import type { ProcessOptions } from './simulated-controller.ts';
import { loadBalancers, type Running } from './running-controller.ts';
import { aService, type ServiceInput } from './service.ts';

export const FINALIZER = 'service.k8s.alibaba/resources';
export const ID_LABEL = 'service.k8s.alibaba/loadbalancer-id';
/** The patch that sets the type ClusterIP. The API server then empties the status. */
export const AS_CLUSTER_IP = { spec: { type: 'ClusterIP' }, status: { loadBalancer: null } };

/** Deletes a Service and advances the clock by a minute. */
export async function remove({ cluster }: Running, ms = 60_000, service = aService()): Promise<void> {
  cluster.kubernetes.delete(SERVICES, keyOf(service));
  await cluster.quiet(ms);
}

/** Stores a manifest as `kubectl replace` does: the finalizer and labels of the controller are removed. */
export function replace({ cluster }: Running, input: ServiceInput = {}): void {
  const made = aService(input);
  const stored = cluster.service(made.metadata.name);
  const isEmptied = input.type === 'ClusterIP' || stored?.status === undefined;
  cluster.kubernetes.put(SERVICES, { ...made, ...(isEmptied ? {} : { status: stored.status }) });
}

export const finalizersOf = ({ cluster }: Running, name = 'web'): readonly string[] =>
  cluster.service(name)?.metadata.finalizers ?? [];

/** Returns the ports of the listeners of the first load balancer, in order. */
export const listenerPorts = (run: Running): readonly number[] =>
  (loadBalancers(run)[0]?.listeners ?? []).map(({ port }) => port).sort((left, right) => left - right);

/** The state of the controller during a change: running, stopped before, or killed before. */
export type ControllerState = 'running' | 'stopped' | 'killed';

/** The states of the controller, by the part of a title that names them. */
export const STATES = { '': 'running', ' after a restart': 'stopped' } as const;
export const CRASHES = { '': 'running', ', after a crash': 'killed' } as const;

/** Runs `act` in this state of the controller. Returns the cluster with the process that runs afterwards. */
export async function during(
  { cluster, process }: Running,
  state: ControllerState,
  act: () => unknown,
  options?: Partial<ProcessOptions>,
): Promise<Running> {
  if (state === 'stopped') await process.stop();
  if (state === 'killed') process.kill();
  await act();
  return { cluster, process: state === 'running' ? process : cluster.start(options) };
}

/** Returns a Service of the same namespace that is created after `web`. */
export const anotherService = (input: ServiceInput = {}): Service =>
  aService({ name: 'api', uid: '6e4dbfc9-c2ae-4642-b033-5607860aef6b', ...input });
