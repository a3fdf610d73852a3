import { callsFor } from '../cloud.ts';
import { drawLoadBalancer } from '../format.ts';
import { addressOf, loadBalancerAt, sample } from '../objects.ts';
import { expect, until, type DemoStep } from '../demo.ts';

/** The most calls for a Service with two ports and three nodes (budget `B01`). */
const BUDGET = 8;

export const good: DemoStep = {
  title: 'A good Service becomes a load balancer',
  about:
    'Two TCP ports, externalTrafficPolicy: Local, and cordoned nodes left out. The controller makes a load balancer with a listener and a server ' +
    'group for each port; every node that runs pods is a backend, by the number of its pods.',
  run: async (tour) => {
    const { kubectl, cloud } = tour;
    const before = await cloud.lastCall();
    const { code, stderr } = await kubectl.show('apply', '-f', sample('good'));
    expect(tour, code === 0, 'the Service is accepted', stderr);
    const address = await addressOf(tour, 'good');
    await kubectl.show('get', 'service', 'good', '-n', 'demo');
    await kubectl.show('get', 'events', '-n', 'demo', '--field-selector', 'involvedObject.name=good');
    const balancer = await until(tour, 'two listeners run', 10_000, async () => {
      const { listeners } = await loadBalancerAt(tour, address);
      return listeners.length === 2 && listeners.every(({ status }) => status === 'running')
        ? { seen: await loadBalancerAt(tour, address) }
        : { not: JSON.stringify(listeners.map(({ port, status }) => [port, status])) };
    });
    tour.narrator.say('The cloud now has:');
    tour.narrator.output(drawLoadBalancer(balancer));
    expect(
      tour,
      balancer.serverGroups.length === 2 && balancer.serverGroups.every(({ backends }) => backends.length === 3),
      'each forwards to three backends',
      JSON.stringify(balancer.serverGroups.map(({ backends }) => backends.length)),
    );
    const calls = callsFor(await cloud.calls(before), balancer).map(({ action }) => action);
    expect(tour, calls.length <= BUDGET, `it took ${calls.length} cloud calls, at most ${BUDGET}`, calls.join(', '));
  },
};
