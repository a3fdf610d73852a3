import { aPicture, called, judges, sent, STARTED } from '../../support/history/build.ts';
import { oneRouteWriterPerVPC } from '../../support/history/invariants/one-route-writer-per-vpc.ts';
import { oneWriterPerLB } from '../../support/history/invariants/one-writer-per-lb.ts';

const target = aPicture();
const name = (n: number) => sent('SetLoadBalancerName', { n, target });
const route = (n: number) => sent('CreateRouteEntries', { n, subject: 'vpc-1' });

judges(oneWriterPerLB, {
  keep: {
    'one call follows another': [...called('SetLoadBalancerName', { target }), name(2)],
    'two load balancers are changed at once': [
      name(1),
      sent('SetLoadBalancerName', { target: aPicture({ id: 'lb-2' }) }),
    ],
    'a read comes while one is changed': [name(1), sent('DescribeLoadBalancerAttribute', { target })],
    'the sender of the first is dead': [name(1), STARTED, name(2)],
    'the first was given up': [sent('SetLoadBalancerName', { target, fault: 'late-commit' }), name(2)],
  },
  break: { 'one is changed while it is being changed': [name(1), name(2)] },
});

judges(oneRouteWriterPerVPC, {
  keep: {
    'one call follows another': [...called('CreateRouteEntries', { subject: 'vpc-1' }), route(2)],
    'two VPCs are changed at once': [route(1), sent('DeleteRouteEntries', { subject: 'vpc-2' })],
  },
  break: { 'routes are changed while they are being changed': [route(1), route(2)] },
});
