import { isDeepStrictEqual } from 'node:util';
import { callsFor, type CloudLoadBalancer } from '../cloud.ts';
import { drawLoadBalancer } from '../format.ts';
import { loadBalancerAt, loadBalancerOf, NAMESPACE, weights } from '../objects.ts';
import { expect, until, type DemoStep, type Demo } from '../demo.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-established-timeout';
const CHANGED = 'EstablishedTimeout';

const told = (balancer: CloudLoadBalancer): string =>
  [...weights(balancer)].map(([server, weight]) => `${server} weight ${weight}`).join(', ') || 'no backends';

/** Waits until the backends satisfy `holds`, then prints them. */
async function backendsBecome(
  tour: Demo,
  address: string,
  expected: string,
  holds: (weights: ReadonlyMap<string, number>) => boolean,
): Promise<void> {
  await until(tour, expected, 20_000, async () => {
    const balancer = await loadBalancerAt(tour, address);
    return holds(weights(balancer)) ? { seen: balancer } : { not: told(balancer) };
  });
  tour.narrator.output(`  ${told(await loadBalancerAt(tour, address))}`);
}

async function scaled(tour: Demo, address: string): Promise<void> {
  await tour.kubectl.show('scale', 'deployment/web', '-n', NAMESPACE, '--replicas=9');
  await backendsBecome(tour, address, 'the weights add up to nine pods', (weights) => {
    const all = [...weights.values()];
    return all.length === 3 && all.reduce((sum, weight) => sum + weight, 0) === 9;
  });
}

async function cordoned(tour: Demo, address: string): Promise<void> {
  const { stdout: names } = await tour.kubectl.quiet('get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}');
  await tour.kubectl.show('cordon', names);
  await backendsBecome(tour, address, 'the cordoned node is no backend any more', (weights) => weights.size === 2);
  await tour.kubectl.show('uncordon', names);
  await backendsBecome(tour, address, 'and is one again', (weights) => weights.size === 3);
}

const withoutTimeout = (balancer: CloudLoadBalancer): unknown => ({
  ...balancer,
  listeners: balancer.listeners.map(({ attributes, ...rest }) => ({
    ...rest,
    status: '',
    attributes: Object.fromEntries(Object.entries(attributes).filter(([name]) => name !== CHANGED)),
  })),
});

async function annotated(tour: Demo, address: string): Promise<void> {
  const before = await loadBalancerAt(tour, address);
  const last = await tour.cloud.lastCall();
  await tour.kubectl.show('annotate', 'service/good', '-n', NAMESPACE, '--overwrite', `${KEY}=600`);
  const after = await until(tour, 'both listeners have the new time-out', 20_000, async () => {
    const balancer = await loadBalancerAt(tour, address);
    return balancer.listeners.every(({ attributes }) => Number(attributes[CHANGED]) === 600)
      ? { seen: balancer }
      : { not: JSON.stringify(balancer.listeners.map(({ attributes }) => attributes[CHANGED])) };
  });
  expect(
    tour,
    isDeepStrictEqual(withoutTimeout(before), withoutTimeout(after)),
    'nothing else has changed',
    drawLoadBalancer(after),
  );
  const calls = callsFor(await tour.cloud.calls(last), after).map(({ action }) => action);
  expect(tour, calls.length === 2, 'it took 2 cloud calls, one a listener', calls.join(', '));
}

export const change: DemoStep = {
  title: 'Changes follow, and nothing more',
  about:
    'Pods come and go, a node is cordoned, an annotation is edited: each time only what differs is changed in the cloud.',
  run: async (tour) => {
    const { address } = await loadBalancerOf(tour, 'good');
    await scaled(tour, address);
    await cordoned(tour, address);
    await annotated(tour, address);
  },
};
