import { isDeepStrictEqual } from 'node:util';
import { LOAD_BALANCERS } from '../../seed.ts';
import { callsFor, type CloudLoadBalancer } from '../cloud.ts';
import { drawLoadBalancer } from '../format.ts';
import { loadBalancerAt, loadBalancerOf, NAMESPACE } from '../objects.ts';
import { expect, type DemoStep } from '../demo.ts';

const LABEL = 'service.k8s.alibaba/loadbalancer-id';
/** The milliseconds in which a controller that believes the label would make its calls. */
const REACTION_MS = 5_000;

/** Returns a load balancer without the states of its listeners, because the cloud configures a listener for a moment after a change. */
const withoutStates = (balancer: CloudLoadBalancer): object => ({
  ...balancer,
  listeners: balancer.listeners.map(({ status: _status, ...listener }) => listener),
});

export const binding: DemoStep = {
  title: 'The binding decides, not a label',
  about:
    'The controller records each Service in a LoadBalancerBinding, which only the controller may write. A user sets the label of the load ' +
    'balancer to another one, and nothing changes in the cloud.',
  run: async (tour) => {
    const { kubectl, cloud } = tour;
    const before = await loadBalancerOf(tour, 'good');
    const { stdout } = await kubectl.show('get', 'loadbalancerbindings');
    const row = stdout.split('\n').find((line) => line.includes(before.id)) ?? '';
    expect(tour, / good .* owned /.test(row), `Service good is bound to ${before.id}`, stdout);
    const last = await cloud.lastCall();
    await kubectl.show('label', 'service/good', '-n', NAMESPACE, '--overwrite', `${LABEL}=${LOAD_BALANCERS.people}`);
    await tour.clock.sleep(REACTION_MS, tour.signal);
    const after = await loadBalancerAt(tour, before.address);
    const writes = callsFor(await cloud.calls(last), after).filter(({ kind }) => kind === 'write');
    const isSame = isDeepStrictEqual(withoutStates(after), withoutStates(before)) && writes.length === 0;
    expect(tour, isSame, 'no cloud call changes anything', drawLoadBalancer(after));
  },
};
