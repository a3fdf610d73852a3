import { NODES, objectKey } from '../../../src/base/kubernetes-objects.ts';
import { callerOf } from '../simulator.ts';
import { kubeletNode, readyCondition, type Registration } from './kubelet.ts';
import type { NodeCluster } from './node-cluster.ts';
import type { Step } from './scenario.ts';
import type { World } from './world.ts';

/** Milliseconds of virtual time after each step, enough to initialize and route a Node. */
const SETTLE_MS = 20_000;
const never = new AbortController().signal;

type StepOf<Key extends string> = Extract<Step, Readonly<Record<Key, unknown>>>;

/** Returns the registration. By default, Node `n7` runs on instance `i-7`. */
const registrationOf = (fields: string | Registration): Registration =>
  typeof fields !== 'string' ? fields : { name: fields, providerId: `cn-hangzhou.i-${fields.slice(1)}` };

/** Registers kubelets in sequence, so that the order of Nodes is equal in every run. */
async function joinAll(world: World, cluster: NodeCluster, all: readonly Registration[]): Promise<void> {
  for (const fields of all) {
    const registration = world.spelled(fields);
    for (const range of fields.podCidrs ?? []) world.assigned.add(range);
    const node = kubeletNode(registration, world.fullName(fields.name), world.clock.now());
    await cluster.user.create(NODES, node, never);
  }
  await Promise.all(all.map((fields) => joined(world, fields)));
  await world.settled();
}

async function joined(world: World, fields: Registration): Promise<void> {
  await world.sees(fields.name, 'has its ranges', (seen) => (seen?.spec?.podCIDRs ?? []).length > 0);
  if (fields.ready === 'never')
    await world.sees(fields.name, 'has Ready Unknown', (seen) =>
      (seen?.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'Unknown'),
    );
}

async function leave(world: World, { user }: NodeCluster, name: string): Promise<void> {
  await user.delete(NODES, objectKey(world.fullName(name)), {}, never);
  await world.sees(name, 'is gone', (seen) => seen === undefined);
}

async function patch(world: World, { user }: NodeCluster, step: StepOf<'patch'>): Promise<void> {
  const options = { strategic: true, ...(step.in === undefined ? {} : { subresource: step.in }) };
  const after = await user.mergePatch(
    NODES,
    objectKey(world.fullName(step.of)),
    world.spelled(step.patch),
    options,
    never,
  );
  const { deletionTimestamp, finalizers = [], resourceVersion } = after.metadata;
  // The patch removed the last finalizer of a deleted Node.
  const isOver = deletionTimestamp !== undefined && finalizers.length === 0;
  await world.sees(step.of, 'is patched', (seen) =>
    isOver ? seen === undefined : BigInt(seen?.metadata.resourceVersion ?? 0) >= BigInt(resourceVersion),
  );
  await world.settled();
}

async function control(world: World, what: StepOf<'controller'>['controller']): Promise<void> {
  if (what === 'starts') world.start();
  else if (what === 'dies') world.kill();
  else await world.stop();
}

async function reportReady(world: World, cluster: NodeCluster, { ready, of }: StepOf<'ready'>): Promise<void> {
  const status = { conditions: [readyCondition(ready, world.clock.now())] };
  for (const name of of) await patch(world, cluster, { patch: { status }, of: name, in: 'status' });
}

async function changeCloud(world: World, step: Step): Promise<void> {
  const { simulator } = world;
  if ('cloud' in step) simulator.seed(world.spelled(step.cloud));
  else if ('release' in step) simulator.seed({ remove: step.release });
  else if ('cloudSettings' in step) simulator.changeSettings(step.cloudSettings);
  else if ('call' in step) await callerOf(simulator).ok(step.call, world.spelled(step.with), step.product ?? 'Vpc');
  else if ('faults' in step) {
    simulator.clearFaults();
    simulator.faults(step.faults);
  }
}

/** Runs one step of a scenario and waits for its effects. Changes of several Nodes run in sequence, at one instant of virtual time. */
export async function take(world: World, cluster: NodeCluster, step: Step): Promise<void> {
  if ('join' in step) await joinAll(world, cluster, step.join.map(registrationOf));
  else if ('leave' in step) for (const name of step.leave) await leave(world, cluster, name);
  else if ('ready' in step) await reportReady(world, cluster, step);
  else if ('patch' in step) await patch(world, cluster, step);
  else if ('controller' in step) await control(world, step.controller);
  else await changeCloud(world, step);
  await world.pass('pass' in step ? step.pass : SETTLE_MS);
}
