import { callsFor } from '../simulator-client.ts';
import { drawLoadBalancer } from '../cloud-state-text.ts';
import { addressOf, loadBalancerAt, sample } from '../service-lookup.ts';
import { expect, until, type DemoStep } from '../demo-step.ts';

/** The maximum number of calls for a new Service with two ports and three nodes. The test of budget `B01` has the same limit. */
const BUDGET = 8;

/** Creates Service good, which later steps change. */
export const newService: DemoStep = {
  title: 'A good Service becomes a load balancer',
  about:
    'Two TCP ports, externalTrafficPolicy: Local, and no cordoned nodes. The controller creates a load balancer with a listener and a server ' +
    'group for each port. Every node that runs pods is a backend, weighted by the number of its pods.',
  run: async (demo) => {
    const { kubectl, cloud } = demo;
    const before = await cloud.lastCall();
    const { code, stderr } = await kubectl.show('apply', '-f', sample('good'));
    expect(demo, code === 0, 'the Service is accepted', stderr);
    const address = await addressOf(demo, 'good');
    await kubectl.show('get', 'service', 'good', '-n', 'demo');
    await kubectl.show('get', 'events', '-n', 'demo', '--field-selector', 'involvedObject.name=good');
    const balancer = await until(demo, 'two listeners run', 10_000, async () => {
      const { listeners } = await loadBalancerAt(demo, address);
      return listeners.length === 2 && listeners.every(({ status }) => status === 'running')
        ? { seen: await loadBalancerAt(demo, address) }
        : { not: JSON.stringify(listeners.map(({ port, status }) => [port, status])) };
    });
    demo.narrator.say('The cloud now has:');
    demo.narrator.output(drawLoadBalancer(balancer));
    expect(
      demo,
      balancer.serverGroups.length === 2 && balancer.serverGroups.every(({ backends }) => backends.length === 3),
      'both server groups have three backends',
      JSON.stringify(balancer.serverGroups.map(({ backends }) => backends.length)),
    );
    const calls = callsFor(await cloud.calls(before), balancer).map(({ action }) => action);
    expect(demo, calls.length <= BUDGET, `${calls.length} cloud calls were made, at most ${BUDGET}`, calls.join(', '));
  },
};
