import { isDeepStrictEqual } from 'node:util';
import { LOAD_BALANCERS } from '../../seed.ts';
import type { CloudLoadBalancer } from '../cloud.ts';
import { drawLoadBalancer } from '../format.ts';
import { addressOf, loadBalancerAt, NAMESPACE, sample } from '../objects.ts';
import { denied } from '../denial.ts';
import { expect, StepFailed, until, type DemoStep, type Demo } from '../demo.ts';

const THEIR_PORT = 25;
const TAKE_THEIRS = JSON.stringify({ spec: { ports: [{ name: 'mail', port: THEIR_PORT }] } });

/** Returns the listener that a user created, with its server group. */
function theirs({ listeners, serverGroups }: CloudLoadBalancer): readonly unknown[] {
  const listener = listeners.find(({ port }) => port === THEIR_PORT);
  return [listener, serverGroups.find(({ id }) => id === listener?.attributes['VServerGroupId'])];
}

async function peoples(tour: Demo): Promise<CloudLoadBalancer> {
  const found = (await tour.cloud.loadBalancers()).find(({ id }) => id === LOAD_BALANCERS.people);
  if (found === undefined) throw new StepFailed(`load balancer ${LOAD_BALANCERS.people} is in the cloud`, 'it is not');
  return found;
}

export const userListener: DemoStep = {
  title: 'Listeners of others stay',
  about:
    'People run mail on a load balancer of theirs, by a listener and a server group that they made by hand. A Service may have a port beside ' +
    'it, and never the port itself.',
  run: async (tour) => {
    const before = await peoples(tour);
    await tour.kubectl.show('apply', '-f', sample('reuse-beside'));
    await addressOf(tour, 'reuse-beside');
    const after = await until(tour, 'its listener runs beside theirs', 10_000, async () => {
      const { listeners } = await peoples(tour);
      return listeners.length === 2 && listeners.every(({ status }) => status === 'running')
        ? { seen: await peoples(tour) }
        : { not: JSON.stringify(listeners.map(({ port, status }) => [port, status])) };
    });
    tour.narrator.output(drawLoadBalancer(await loadBalancerAt(tour, after.address)));
    const isUntouched = isDeepStrictEqual(theirs(after), theirs(before));
    expect(tour, isUntouched, 'theirs is as it was', drawLoadBalancer(after));
    const patch = ['patch', 'service', 'reuse-beside', '-n', NAMESPACE, '--dry-run=server', '-p', TAKE_THEIRS];
    await denied(tour, ['spec.ports[0].port'], ...patch);
  },
};
