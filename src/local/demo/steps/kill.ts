import { drawLoadBalancer } from '../format.ts';
import { addressOf, loadBalancerAt, sample } from '../objects.ts';
import { expect, until, type DemoStep } from '../demo.ts';

export const kill: DemoStep = {
  title: 'Killed half-way, and started again',
  about:
    'The cloud is told to be slow with the first server group. While the controller waits, with the load balancer made and nothing else, ' +
    'its process is killed (SIGKILL). Another starts, waits for the Lease to run out, finds what was begun, and finishes it.',
  run: async (tour) => {
    const { kubectl, cloud } = tour;
    const known = new Set((await cloud.loadBalancers()).map(({ id }) => id));
    const before = await cloud.lastCall();
    await cloud.arm({ action: 'CreateVServerGroup', effect: 'timeout-before-commit' });
    await kubectl.show('apply', '-f', sample('second'));
    await until(tour, 'the controller is in the middle of it', 20_000, async () => {
      const actions = (await cloud.calls(before)).map(({ action }) => action);
      return actions.includes('CreateVServerGroup') ? { seen: actions } : { not: actions.join(', ') };
    });
    await tour.killController();
    tour.narrator.command('kill -KILL <controller>');
    const made = async (): Promise<number> => (await cloud.loadBalancers()).filter(({ id }) => !known.has(id)).length;
    expect(tour, (await made()) === 1, 'one load balancer has been made, unfinished', `${await made()}`);
    await tour.startController();
    tour.narrator.command('portcullis controller …');
    const address = await addressOf(tour, 'second');
    tour.narrator.output(drawLoadBalancer(await loadBalancerAt(tour, address)));
    expect(tour, (await made()) === 1, 'there is one load balancer for it, not two', `${await made()}`);
  },
};
