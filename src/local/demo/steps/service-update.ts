import { isDeepStrictEqual } from 'node:util';
import { callsFor, type CloudLoadBalancer } from '../simulator-client.ts';
import { drawLoadBalancer } from '../cloud-state-text.ts';
import { loadBalancerAt, loadBalancerOf, NAMESPACE, weights } from '../service-lookup.ts';
import { expect, until, type DemoStep, type Demo } from '../demo-step.ts';

const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-established-timeout';
const CHANGED = 'EstablishedTimeout';

const weightsText = (balancer: CloudLoadBalancer): string =>
  [...weights(balancer)].map(([server, weight]) => `${server} weight ${weight}`).join(', ') || 'no backends';

/** Waits until `holds` returns true for the weights of the backends, then prints the weights. */
async function backendsBecome(
  demo: Demo,
  address: string,
  expected: string,
  holds: (weights: ReadonlyMap<string, number>) => boolean,
): Promise<void> {
  await until(demo, expected, 20_000, async () => {
    const balancer = await loadBalancerAt(demo, address);
    return holds(weights(balancer)) ? { seen: balancer } : { not: weightsText(balancer) };
  });
  demo.narrator.output(`  ${weightsText(await loadBalancerAt(demo, address))}`);
}

async function scalePods(demo: Demo, address: string): Promise<void> {
  await demo.kubectl.show('scale', 'deployment/web', '-n', NAMESPACE, '--replicas=9');
  await backendsBecome(demo, address, 'the weights of the backends add up to nine', (weights) => {
    const all = [...weights.values()];
    return all.length === 3 && all.reduce((sum, weight) => sum + weight, 0) === 9;
  });
}

async function cordonNode(demo: Demo, address: string): Promise<void> {
  const { stdout: name } = await demo.kubectl.quiet('get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}');
  await demo.kubectl.show('cordon', name);
  await backendsBecome(demo, address, 'the cordoned node is not a backend', (weights) => weights.size === 2);
  await demo.kubectl.show('uncordon', name);
  await backendsBecome(demo, address, 'the uncordoned node is a backend again', (weights) => weights.size === 3);
}

const withoutTimeout = (balancer: CloudLoadBalancer): unknown => ({
  ...balancer,
  listeners: balancer.listeners.map(({ attributes, ...rest }) => ({
    ...rest,
    status: '',
    attributes: Object.fromEntries(Object.entries(attributes).filter(([name]) => name !== CHANGED)),
  })),
});

async function annotateService(demo: Demo, address: string): Promise<void> {
  const before = await loadBalancerAt(demo, address);
  const last = await demo.cloud.lastCall();
  await demo.kubectl.show('annotate', 'service/good', '-n', NAMESPACE, '--overwrite', `${KEY}=600`);
  const after = await until(demo, 'both listeners have the new timeout', 20_000, async () => {
    const balancer = await loadBalancerAt(demo, address);
    return balancer.listeners.every(({ attributes }) => Number(attributes[CHANGED]) === 600)
      ? { seen: balancer }
      : { not: JSON.stringify(balancer.listeners.map(({ attributes }) => attributes[CHANGED])) };
  });
  expect(
    demo,
    isDeepStrictEqual(withoutTimeout(before), withoutTimeout(after)),
    'nothing else changed',
    drawLoadBalancer(after),
  );
  const calls = callsFor(await demo.cloud.calls(last), after).map(({ action }) => action);
  expect(demo, calls.length === 2, '2 cloud calls were made, one for each listener', calls.join(', '));
}

/** Changes the Service `good` of step `new-service`, and its pods and nodes. */
export const serviceUpdate: DemoStep = {
  title: 'The controller changes only what differs',
  about:
    'A Deployment is scaled, a node is cordoned, and an annotation is edited. Each time, the controller changes only the difference.',
  run: async (demo) => {
    const { address } = await loadBalancerOf(demo, 'good');
    await scalePods(demo, address);
    await cordonNode(demo, address);
    await annotateService(demo, address);
  },
};
