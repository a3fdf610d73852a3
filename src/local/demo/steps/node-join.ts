import { CLOUD, instanceOf, NEWCOMER } from '../../seed.ts';
import { atConsole } from '../console-changes.ts';
import { drawRoutes, table } from '../cloud-state-text.ts';
import { isOpenTooSoon, networkOf, nodeTimeline, readNode, type Moment, type NodeSnapshot } from '../node-timeline.ts';
import { loadBalancerOf, sample, weights } from '../service-lookup.ts';
import { expect, silentlyUntil, until, type DemoStep, type Demo } from '../demo-step.ts';

const { nodeName, instanceId, address, zoneId } = NEWCOMER;
const ZONE = 'topology.kubernetes.io/zone';

const isDone = (node: NodeSnapshot): boolean => networkOf(node)?.status === 'False' && node.spec.taints.length === 0;

/** Registers the Node, and returns its observed states until the Node has its route and no taints. */
async function watchRegistration(demo: Demo): Promise<readonly Moment[]> {
  const { kubectl, clock } = demo;
  const moments: Moment[] = [];
  const names = new Set<string>();
  const since = { ms: clock.monotonic() };
  const note = (line: string): void => {
    const node = readNode(line);
    names.add(node.metadata.name);
    if (node.metadata.name === nodeName) moments.push({ seconds: (clock.monotonic() - since.ms) / 1000, node });
  };
  const before = (await kubectl.quiet('get', 'nodes', '-o', 'name')).stdout.trim().split('\n').length;
  const watch = kubectl.follow(['get', 'nodes', '--watch', '-o', 'jsonpath={@}{"\\n"}'], note);
  try {
    // The watch reports the existing Nodes first. The new Node is created only after these reports, so that the watch misses no change.
    await silentlyUntil(demo, 'the API server is watched', 10_000, async () =>
      names.size >= before ? { seen: names.size } : { not: `${names.size} of ${before} Nodes seen` },
    );
    since.ms = clock.monotonic();
    await registerNode(demo, moments);
  } finally {
    await watch.stop();
  }
  return moments;
}

/** Creates the Node, and waits until the Node is schedulable. */
async function registerNode(demo: Demo, moments: readonly Moment[]): Promise<void> {
  const { code, stderr } = await demo.kubectl.show('apply', '-f', sample('fourth-node'));
  expect(demo, code === 0, 'the Node is registered', stderr);
  await until(demo, 'the Node is schedulable', 30_000, async () => {
    const last = moments.at(-1);
    return last !== undefined && isDone(last.node)
      ? { seen: last }
      : { not: JSON.stringify(last?.node.spec ?? 'the Node was not seen') };
  });
}

/** Checks the observed states: no pods before the route exists, and the properties of the instance at the end. */
function check(demo: Demo, moments: readonly Moment[]): void {
  const tooSoon = moments.filter(({ node }) => isOpenTooSoon(node)).map(({ seconds }) => seconds.toFixed(2));
  expect(
    demo,
    tooSoon.length === 0,
    'the Node was never schedulable before its route existed',
    `after ${tooSoon.join(', ')} s`,
  );
  const last = moments.at(-1)?.node;
  const facts = [last?.spec.providerID, last?.status.addresses[0]?.address, last?.metadata.labels[ZONE]].join(' ');
  const expected = [`${CLOUD.regionId}.${instanceId}`, address, zoneId].join(' ');
  expect(demo, facts === expected, 'provider ID, address and zone are those of the instance', facts);
}

/** Adds an instance and its Node. The step `instance-release` removes both. */
export const nodeJoin: DemoStep = {
  title: 'A fourth node joins',
  about:
    'A new instance starts, and its kubelet registers a Node with the taint for uninitialized Nodes. The controller finds the instance by its ' +
    'host name, sets the provider ID, addresses and labels, and removes the taint once the route to the pods exists.',
  run: async (demo) => {
    await atConsole(demo, { instances: [instanceOf(NEWCOMER)] });
    const moments = await watchRegistration(demo);
    demo.narrator.output(table(nodeTimeline(moments).map((row) => row.map((cell) => `  ${cell}`))));
    check(demo, moments);
    await until(demo, 'the node is a backend of Service reuse-shared', 20_000, async () => {
      const found = [...weights(await loadBalancerOf(demo, 'reuse-shared')).keys()];
      return found.includes(instanceId) ? { seen: found } : { not: found.join(', ') };
    });
    const routes = await demo.cloud.routes();
    demo.narrator.output(drawRoutes(routes));
    const range = moments.at(-1)?.node.spec.podCIDR;
    const own = routes.filter(({ nextHopId }) => nextHopId === instanceId);
    const isThere = own.length === 1 && own[0]?.destination === range && own[0]?.status === 'Available';
    expect(demo, isThere, 'one route leads to the node', drawRoutes(own));
  },
};
