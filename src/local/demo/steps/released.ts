import { NEWCOMER } from '../../seed.ts';
import { atConsole } from '../console.ts';
import { drawRoutes } from '../format.ts';
import { loadBalancerOf, weights } from '../objects.ts';
import { expect, until, type DemoStep, type Demo } from '../demo.ts';

const { nodeName, instanceId } = NEWCOMER;

/** Returns the last status that a kubelet writes when its machine shuts down. */
const goodbye = (nowMs: number): string =>
  JSON.stringify({
    status: {
      conditions: [
        {
          ...{ type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'node is shutting down' },
          lastTransitionTime: `${new Date(nowMs).toISOString().slice(0, -5)}Z`,
        },
      ],
    },
  });

async function isGone(tour: Demo): Promise<void> {
  await until(tour, 'the Node is gone', 120_000, async () =>
    (await tour.kubectl.json('node', nodeName)) === undefined ? { seen: true } : { not: 'it is there' },
  );
  await until(tour, 'its route is gone', 20_000, async () => {
    const left = (await tour.cloud.routes()).filter(({ nextHopId }) => nextHopId === instanceId);
    return left.length === 0 ? { seen: true } : { not: drawRoutes(left) };
  });
  await until(tour, 'it is no backend any more', 20_000, async () => {
    const left = [...weights(await loadBalancerOf(tour, 'reuse-shared')).keys()];
    return left.includes(instanceId) ? { not: left.join(', ') } : { seen: left };
  });
}

export const released: DemoStep = {
  title: 'Its instance is released: node and route go',
  about:
    'The machine is switched off and given back. A Node goes only when two complete answers of the cloud lack its instance and its kubelet has been ' +
    'silent for a while: a minute in a cluster, ten seconds here (--node-removal-grace).',
  run: async (tour) => {
    await tour.kubectl.show('patch', 'node', nodeName, '--subresource=status', '-p', goodbye(tour.clock.now()));
    await atConsole(tour, { remove: [instanceId] });
    await isGone(tour);
    const selector = `involvedObject.name=${nodeName},reportingComponent=node-controller`;
    await tour.kubectl.show('get', 'events', '--field-selector', selector);
    const routes = await tour.cloud.routes();
    tour.narrator.output(drawRoutes(routes));
    expect(tour, routes.length === 3, 'the routes of the others are left', `${routes.length} routes`);
  },
};
