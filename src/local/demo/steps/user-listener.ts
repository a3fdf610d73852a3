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

async function peoples(demo: Demo): Promise<CloudLoadBalancer> {
  const found = (await demo.cloud.loadBalancers()).find(({ id }) => id === LOAD_BALANCERS.people);
  if (found === undefined) throw new StepFailed(`load balancer ${LOAD_BALANCERS.people} is in the cloud`, 'it is not');
  return found;
}

export const userListener: DemoStep = {
  title: 'Listeners of users stay',
  about:
    'A user-managed load balancer has a listener and a server group for mail. A Service may add another port to it, and never takes the ' +
    'port of the user.',
  run: async (demo) => {
    const before = await peoples(demo);
    await demo.kubectl.show('apply', '-f', sample('reuse-beside'));
    await addressOf(demo, 'reuse-beside');
    const after = await until(demo, 'its listener runs next to that of the user', 10_000, async () => {
      const { listeners } = await peoples(demo);
      return listeners.length === 2 && listeners.every(({ status }) => status === 'running')
        ? { seen: await peoples(demo) }
        : { not: JSON.stringify(listeners.map(({ port, status }) => [port, status])) };
    });
    demo.narrator.output(drawLoadBalancer(await loadBalancerAt(demo, after.address)));
    const isUntouched = isDeepStrictEqual(theirs(after), theirs(before));
    expect(demo, isUntouched, 'the listener of the user is unchanged', drawLoadBalancer(after));
    const patch = ['patch', 'service', 'reuse-beside', '-n', NAMESPACE, '--dry-run=server', '-p', TAKE_THEIRS];
    await denied(demo, ['spec.ports[0].port'], ...patch);
  },
};
