import { isDeepStrictEqual } from 'node:util';
import { LOAD_BALANCERS } from '../../seed.ts';
import type { CloudLoadBalancer } from '../simulator-client.ts';
import { drawLoadBalancer } from '../cloud-state-text.ts';
import { addressOf, loadBalancerAt, NAMESPACE, sample } from '../service-lookup.ts';
import { denied } from '../denied-requests.ts';
import { expect, StepFailed, until, type DemoStep, type Demo } from '../demo-step.ts';

const SERVICE = 'reuse-user-listener';
const USER_PORT = 25;
const TAKE_USER_PORT = JSON.stringify({ spec: { ports: [{ name: 'mail', port: USER_PORT }] } });

/** Returns the listener on the user's port, with its server group. */
function userParts({ listeners, serverGroups }: CloudLoadBalancer): readonly unknown[] {
  const listener = listeners.find(({ port }) => port === USER_PORT);
  return [listener, serverGroups.find(({ id }) => id === listener?.attributes['VServerGroupId'])];
}

async function userManaged(demo: Demo): Promise<CloudLoadBalancer> {
  const found = (await demo.cloud.loadBalancers()).find(({ id }) => id === LOAD_BALANCERS.withUserListener);
  if (found === undefined)
    throw new StepFailed(
      `load balancer ${LOAD_BALANCERS.withUserListener} is in the cloud`,
      'the load balancer does not exist',
    );
  return found;
}

/** Uses the load balancer `withUserListener` of the sandbox, whose listener on port 25 belongs to a user. */
export const userListener: DemoStep = {
  title: 'Listeners of users stay',
  about:
    'A user-managed load balancer has a listener and a server group for mail. A Service can add a listener on another port, but never ' +
    'takes the port of the user.',
  run: async (demo) => {
    const before = await userManaged(demo);
    await demo.kubectl.show('apply', '-f', sample(SERVICE));
    await addressOf(demo, SERVICE);
    const after = await until(demo, 'the listeners of the Service and of the user run', 10_000, async () => {
      const { listeners } = await userManaged(demo);
      return listeners.length === 2 && listeners.every(({ status }) => status === 'running')
        ? { seen: await userManaged(demo) }
        : { not: JSON.stringify(listeners.map(({ port, status }) => [port, status])) };
    });
    demo.narrator.output(drawLoadBalancer(await loadBalancerAt(demo, after.address)));
    const isUntouched = isDeepStrictEqual(userParts(after), userParts(before));
    expect(demo, isUntouched, 'the listener of the user is unchanged', drawLoadBalancer(after));
    const args = ['patch', 'service', SERVICE, '-n', NAMESPACE, '--dry-run=server', '-p', TAKE_USER_PORT];
    await denied(demo, { args, fields: ['spec.ports[0].port'] });
  },
};
