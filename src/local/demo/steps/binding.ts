import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { LOAD_BALANCERS } from '../../seed.ts';
import { callsFor, type CloudLoadBalancer } from '../simulator-client.ts';
import { drawLoadBalancer } from '../cloud-state-text.ts';
import { loadBalancerAt, loadBalancerOf, NAMESPACE, servicePath } from '../service-lookup.ts';
import { expect, until, type DemoStep } from '../demo-step.ts';

const LABEL = 'service.k8s.alibaba/loadbalancer-id';
const Labelled = z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()) }) });

/** Returns a load balancer without listener states, because a listener may still be `configuring` after an earlier step. */
const withoutStates = (balancer: CloudLoadBalancer): object => ({
  ...balancer,
  listeners: balancer.listeners.map(({ status: _status, ...listener }) => listener),
});

/** Changes a label of Service good, which the step `new-service` creates. */
export const binding: DemoStep = {
  title: 'The binding decides, not a label',
  about:
    'The controller records each Service in a LoadBalancerBinding, which only the controller may write. A user changes the label with the ' +
    'id of the load balancer. The controller restores the label, and changes nothing in the cloud.',
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
      `${LABEL}=${LOAD_BALANCERS.withUserListener}`,
    );
    await until(demo, 'the controller restores the label', 20_000, async () => {
      const label = Labelled.parse(await demo.api.find(servicePath('good'))).metadata.labels[LABEL];
      return label === before.id ? { seen: label } : { not: label ?? 'no label' };
    });
    const after = await loadBalancerAt(demo, before.address);
    const writes = callsFor(await cloud.calls(last), after).filter(({ kind }) => kind === 'write');
    const isSame = isDeepStrictEqual(withoutStates(after), withoutStates(before)) && writes.length === 0;
    expect(demo, isSame, 'no cloud call changes anything', drawLoadBalancer(after));
  },
};
