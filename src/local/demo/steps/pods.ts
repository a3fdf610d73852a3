import { callsFor, type CloudLoadBalancer } from '../simulator-client.ts';
import { drawLoadBalancer } from '../cloud-state-text.ts';
import { addressOf, loadBalancerAt, NAMESPACE, sample } from '../service-lookup.ts';
import { expect, until, type DemoStep, type Demo } from '../demo-step.ts';

const backendsOf = ({ serverGroups }: CloudLoadBalancer) => serverGroups.flatMap(({ backends }) => backends);

/** Waits until the load balancer has `count` backends and every backend is a network interface. */
const podsBecome = (demo: Demo, address: string, count: number): Promise<CloudLoadBalancer> =>
  until(demo, `${count} pods are backends`, 20_000, async () => {
    const balancer = await loadBalancerAt(demo, address);
    const servers = backendsOf(balancer).map(({ serverId }) => serverId);
    return servers.length === count && servers.every((id) => id.startsWith('eni-'))
      ? { seen: balancer }
      : { not: servers.join(', ') || 'no backends' };
  });

/** Creates a Service with pods as backends, and scales the pods. */
export const pods: DemoStep = {
  title: 'Pods as backends',
  about:
    'With backend-type: eni, the pods themselves are the backends, on their own port. The controller finds the network interface of each pod ' +
    'by its address. No node port is involved.',
  run: async (demo) => {
    await demo.kubectl.show('apply', '-f', sample('pods'));
    const address = await addressOf(demo, 'pods');
    await podsBecome(demo, address, 2);
    const columns = 'custom-columns=POD:.metadata.name,ADDRESS:.status.podIP,NODE:.spec.nodeName';
    await demo.kubectl.show('get', 'pods', '-n', NAMESPACE, '-l', 'app=front', '-o', columns);
    const last = await demo.cloud.lastCall();
    await demo.kubectl.show('scale', 'deployment/front', '-n', NAMESPACE, '--replicas=3');
    const balancer = await podsBecome(demo, address, 3);
    demo.narrator.output(drawLoadBalancer(balancer));
    const calls = callsFor(await demo.cloud.calls(last), balancer);
    const writes = calls.filter(({ kind }) => kind === 'write').map(({ action }) => action);
    expect(demo, writes.join() === 'AddVServerGroupBackendServers', 'one call added the third pod', writes.join(', '));
  },
};
