import { callsFor, type CloudLoadBalancer } from '../cloud.ts';
import { drawLoadBalancer } from '../format.ts';
import { addressOf, loadBalancerAt, NAMESPACE, sample } from '../objects.ts';
import { expect, until, type DemoStep, type Demo } from '../demo.ts';

const backendsOf = ({ serverGroups }: CloudLoadBalancer) => serverGroups.flatMap(({ backends }) => backends);

/** Waits until the number of backends is `count` and each is a pod's network interface. */
const podsBecome = (tour: Demo, address: string, count: number): Promise<CloudLoadBalancer> =>
  until(tour, `${count} pods are backends`, 20_000, async () => {
    const balancer = await loadBalancerAt(tour, address);
    const servers = backendsOf(balancer).map(({ serverId }) => serverId);
    return servers.length === count && servers.every((id) => id.startsWith('eni-'))
      ? { seen: balancer }
      : { not: servers.join(', ') || 'no backends' };
  });

export const pods: DemoStep = {
  title: 'Pods as backends',
  about:
    'With backend-type: eni the pods themselves are the backends, on their own port: each is found by its address, and registered by the network ' +
    'interface that has it. No node port lies in between.',
  run: async (tour) => {
    await tour.kubectl.show('apply', '-f', sample('pods'));
    const address = await addressOf(tour, 'pods');
    await podsBecome(tour, address, 2);
    const columns = 'custom-columns=POD:.metadata.name,ADDRESS:.status.podIP,NODE:.spec.nodeName';
    await tour.kubectl.show('get', 'pods', '-n', NAMESPACE, '-l', 'app=front', '-o', columns);
    const last = await tour.cloud.lastCall();
    await tour.kubectl.show('scale', 'deployment/front', '-n', NAMESPACE, '--replicas=3');
    const balancer = await podsBecome(tour, address, 3);
    tour.narrator.output(drawLoadBalancer(balancer));
    const calls = callsFor(await tour.cloud.calls(last), balancer);
    const writes = calls.filter(({ kind }) => kind === 'write').map(({ action }) => action);
    expect(
      tour,
      writes.join() === 'AddVServerGroupBackendServers',
      'one call put the third one beside the others',
      writes.join(', '),
    );
  },
};
