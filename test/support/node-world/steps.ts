import { NODES, objectKey } from '../../../src/base/objects.ts';
import { callerOf } from '../simulator.ts';
import { kubeletNode, readyCondition, type Registration } from './kubelet.ts';
import type { NodeCluster } from './node-cluster.ts';
import type { Step } from './scenario.ts';
import type { World } from './world.ts';

/** Milliseconds after each step, enough to initialise and route a Node. */
const SETTLE_MS = 20_000;
const never = new AbortController().signal;

type Happening<Key extends string> = Extract<Step, Readonly<Record<Key, unknown>>>;

/** Returns the registration. By default, Node `n7` runs on instance `i-7`. */
const registrationOf = (said: string | Registration): Registration =>
  typeof said !== 'string' ? said : { name: said, providerId: `cn-hangzhou.i-${said.slice(1)}` };

/** Registers kubelets in sequence, so that the order of Nodes is equal in every run. */
async function joinAll(world: World, cluster: NodeCluster, all: readonly Registration[]): Promise<void> {
  for (const said of all) {
    const registration = world.spelled(said);
    for (const range of said.podCidrs ?? []) world.given.add(range);
    const node = kubeletNode(registration, world.fullName(said.name), world.clock.now());
    await cluster.people.create(NODES, node, never);
  }
  await Promise.all(all.map((said) => joined(world, said)));
  await world.settled();
}

async function joined(world: World, said: Registration): Promise<void> {
  await world.sees(said.name, 'has its ranges', (seen) => (seen?.spec?.podCIDRs ?? []).length > 0);
  if (said.ready === 'never')
    await world.sees(said.name, 'is said to be silent', (seen) =>
      (seen?.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'Unknown'),
    );
}

async function leave(world: World, { people }: NodeCluster, name: string): Promise<void> {
  await people.delete(NODES, objectKey(world.fullName(name)), {}, never);
  await world.sees(name, 'is gone', (seen) => seen === undefined);
}

async function patch(world: World, { people }: NodeCluster, step: Happening<'patch'>): Promise<void> {
  const options = { strategic: true, ...(step.in === undefined ? {} : { subresource: step.in }) };
  const after = await people.mergePatch(
    NODES,
    objectKey(world.fullName(step.of)),
    world.spelled(step.patch),
    options,
    never,
  );
  const { deletionTimestamp, finalizers = [], resourceVersion } = after.metadata;
  // The patch removed the last finalizer of a deleted Node.
  const isOver = deletionTimestamp !== undefined && finalizers.length === 0;
  await world.sees(step.of, 'is seen as patched', (seen) =>
    isOver ? seen === undefined : BigInt(seen?.metadata.resourceVersion ?? 0) >= BigInt(resourceVersion),
  );
  await world.settled();
}

async function control(world: World, what: Happening<'controller'>['controller']): Promise<void> {
  if (what === 'starts') world.start();
  else if (what === 'dies') world.kill();
  else await world.stop();
}

async function kubeletsSay(world: World, cluster: NodeCluster, { ready, of }: Happening<'ready'>): Promise<void> {
  const status = { conditions: [readyCondition(ready, world.clock.now())] };
  for (const name of of) await patch(world, cluster, { patch: { status }, of: name, in: 'status' });
}

async function ofCloud(world: World, step: Step): Promise<void> {
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

/** Runs one step and waits for its effects. Changes of several Nodes run in sequence, at one instant of virtual time. */
export async function take(world: World, cluster: NodeCluster, step: Step): Promise<void> {
  if ('join' in step) await joinAll(world, cluster, step.join.map(registrationOf));
  else if ('leave' in step) for (const name of step.leave) await leave(world, cluster, name);
  else if ('ready' in step) await kubeletsSay(world, cluster, step);
  else if ('patch' in step) await patch(world, cluster, step);
  else if ('controller' in step) await control(world, step.controller);
  else await ofCloud(world, step);
  await world.pass('pass' in step ? step.pass : SETTLE_MS);
}
