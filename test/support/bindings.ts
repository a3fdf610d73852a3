import assert from 'node:assert/strict';
import { LOAD_BALANCER_BINDINGS, type LoadBalancerBinding } from '../../src/inventory/binding.ts';
import { apply, annotated, running, statusAndReason, type Running } from './running-controller.ts';

export const READY = ['True', 'EnsuredLoadBalancer'];
const SHARED = { id: 'lb-shared', name: 'shared', address: '47.1.1.1', listeners: [{ port: 22, protocol: 'tcp' }] };
const OTHER = { id: 'lb-other', name: 'other', address: '47.1.1.2', listeners: [{ port: 22, protocol: 'tcp' }] };
/** A seed with user-managed load balancers. */
export const SEED = { loadBalancers: [SHARED, OTHER] };
/** The load balancers to which a Service can be bound, with the annotations for each. */
export const KINDS = {
  'its owned load balancer': {},
  'its owned load balancer, which it preserves,': annotated({ 'preserve-lb-on-delete': 'true' }),
  'a user-managed load balancer': annotated({ id: 'lb-shared', 'force-override-listeners': 'true' }),
};

/** Starts a cluster that serves Service `web`, with user-managed load balancers in the same cloud. */
export async function serve(annotations: Readonly<Record<string, string>> = {}): Promise<Running> {
  const run = await running({}, SEED);
  await apply(run, { annotations });
  assert.deepEqual(statusAndReason(run), READY);
  return run;
}

/** Starts another process of the controller. */
export const start = ({ cluster }: Running): Running => ({ cluster, process: cluster.start() });

export async function restart(run: Running): Promise<Running> {
  await run.process.stop();
  return start(run);
}

export const bindingsOf = ({ cluster }: Running): readonly LoadBalancerBinding[] =>
  cluster.kubernetes.all(LOAD_BALANCER_BINDINGS);

/** Returns all bindings, without their versions. */
export const recordsOf = (
  run: Running,
): readonly { readonly name: string; readonly spec: LoadBalancerBinding['spec'] }[] =>
  bindingsOf(run).map(({ metadata: { name }, spec }) => ({ name, spec }));

/** Makes the cloud reject every deletion of a load balancer until the faults are cleared. */
export const rejectDeletion = ({ cluster }: Running): void =>
  cluster.simulator.faults([
    { action: 'DeleteLoadBalancer', effect: 'reject', code: 'OperationDenied', count: 'forever' },
  ]);
