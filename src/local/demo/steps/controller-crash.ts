import { drawLoadBalancer } from '../format.ts';
import { addressOf, loadBalancerAt, sample } from '../objects.ts';
import { expect, until, type DemoStep } from '../demo.ts';

export const kill: DemoStep = {
  title: 'Killed during a creation, and started again',
  about:
    'The simulator delays the first server group. While the controller waits, after the creation of the load balancer, its process is killed ' +
    '(SIGKILL). Another process starts, waits until the Lease expires, finds the incomplete load balancer, and completes it.',
  run: async (demo) => {
    const { kubectl, cloud } = demo;
    const known = new Set((await cloud.loadBalancers()).map(({ id }) => id));
    const before = await cloud.lastCall();
    await cloud.arm({ action: 'CreateVServerGroup', effect: 'timeout-before-commit' });
    await kubectl.show('apply', '-f', sample('second'));
    await until(demo, 'the creation is in progress', 20_000, async () => {
      const actions = (await cloud.calls(before)).map(({ action }) => action);
      return actions.includes('CreateVServerGroup') ? { seen: actions } : { not: actions.join(', ') };
    });
    await demo.killController();
    demo.narrator.command('kill -KILL <controller>');
    const createdCount = async (): Promise<number> =>
      (await cloud.loadBalancers()).filter(({ id }) => !known.has(id)).length;
    expect(demo, (await createdCount()) === 1, 'one incomplete load balancer exists', `${await createdCount()}`);
    await demo.startController();
    demo.narrator.command('portcullis controller …');
    const address = await addressOf(demo, 'second');
    demo.narrator.output(drawLoadBalancer(await loadBalancerAt(demo, address)));
    expect(demo, (await createdCount()) === 1, 'there is one load balancer, not two', `${await createdCount()}`);
  },
};
