import { NEWCOMER } from '../../seed.ts';
import { atConsole } from '../console-changes.ts';
import { drawRoutes } from '../cloud-state-text.ts';
import { loadBalancerOf, weights } from '../service-lookup.ts';
import { expect, until, type DemoStep, type Demo } from '../demo-step.ts';

const { nodeName, instanceId } = NEWCOMER;

/** Returns the status patch that a kubelet sends when its machine shuts down. */
const shutdownStatus = (nowMs: number): string =>
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

/** Waits until the controller has deleted the Node, its route and its backends. */
async function untilCleanedUp(demo: Demo): Promise<void> {
  await until(demo, 'the Node is deleted', 120_000, async () =>
    (await demo.api.find(`/api/v1/nodes/${nodeName}`)) === undefined ? { seen: true } : { not: 'the Node exists' },
  );
  await until(demo, 'the route of the Node is deleted', 20_000, async () => {
    const left = (await demo.cloud.routes()).filter(({ nextHopId }) => nextHopId === instanceId);
    return left.length === 0 ? { seen: true } : { not: drawRoutes(left) };
  });
  await until(demo, 'the node is no longer a backend', 20_000, async () => {
    const left = [...weights(await loadBalancerOf(demo, 'reuse-shared')).keys()];
    return left.includes(instanceId) ? { not: left.join(', ') } : { seen: left };
  });
}

/** Releases the instance that the step `node-join` adds. */
export const instanceRelease: DemoStep = {
  title: 'The fourth instance is released: its Node and route are deleted',
  about:
    'The instance is stopped and released. The controller deletes a Node only if two complete answers of the cloud lack its instance, and its ' +
    'kubelet has not reported for a minute (ten seconds here, --node-removal-grace).',
  run: async (demo) => {
    await demo.kubectl.show('patch', 'node', nodeName, '--subresource=status', '-p', shutdownStatus(demo.clock.now()));
    await atConsole(demo, { remove: [instanceId] });
    await untilCleanedUp(demo);
    const selector = `involvedObject.name=${nodeName},reportingComponent=node-controller`;
    await demo.kubectl.show('get', 'events', '--field-selector', selector);
    const routes = await demo.cloud.routes();
    demo.narrator.output(drawRoutes(routes));
    expect(demo, routes.length === 3, 'the routes of other Nodes stay', `${routes.length} routes`);
  },
};
