import { isDeepStrictEqual } from 'node:util';
import { LOAD_BALANCERS } from '../../seed.ts';
import { callsFor, type CloudLoadBalancer } from '../cloud.ts';
import { drawLoadBalancer } from '../format.ts';
import { loadBalancerAt, loadBalancerOf, NAMESPACE } from '../objects.ts';
import { expect, type DemoStep } from '../demo.ts';

const LABEL = 'service.k8s.alibaba/loadbalancer-id';
/** The wait in milliseconds. A controller that trusted the label would make its calls in this time. */
const REACTION_MS = 5_000;

/** Returns a load balancer without the states of its listeners, because a listener is in state `configuring` for a moment after a change. */
const withoutStates = (balancer: CloudLoadBalancer): object => ({
  ...balancer,
  listeners: balancer.listeners.map(({ status: _status, ...listener }) => listener),
});

export const binding: DemoStep = {
  title: 'The binding decides, not a label',
  about:
    'The controller records each Service in a LoadBalancerBinding, which only the controller may write. A user changes the label with the ' +
    'id of the load balancer, and nothing changes in the cloud.',
  run: async (demo) => {
    const { kubectl, cloud } = demo;
    const before = await loadBalancerOf(demo, 'good');
    const { stdout } = await kubectl.show('get', 'loadbalancerbindings');
    const row = stdout.split('\n').find((line) => line.includes(before.id)) ?? '';
    expect(demo, / good .* owned /.test(row), `Service good is bound to ${before.id}`, stdout);
    const last = await cloud.lastCall();
    await kubectl.show(
      'label',
      'service/good',
      '-n',
      NAMESPACE,
      '--overwrite',
      `${LABEL}=${LOAD_BALANCERS.userManaged}`,
    );
    await demo.clock.sleep(REACTION_MS, demo.signal);
    const after = await loadBalancerAt(demo, before.address);
    const writes = callsFor(await cloud.calls(last), after).filter(({ kind }) => kind === 'write');
    const isSame = isDeepStrictEqual(withoutStates(after), withoutStates(before)) && writes.length === 0;
    expect(demo, isSame, 'no cloud call changes anything', drawLoadBalancer(after));
  },
};
