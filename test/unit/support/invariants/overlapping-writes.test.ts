import { aPicture, called, testInvariant, sent, STARTED } from '../../../support/invariants/history-builders.ts';
import { oneRouteWriterPerVPC } from '../../../support/invariants/invariants/one-route-writer-per-vpc.ts';
import { oneWriterPerLB } from '../../../support/invariants/invariants/no-overlapping-calls.ts';

const target = aPicture();
const name = (n: number) => sent('SetLoadBalancerName', { n, target });
const route = (n: number) => sent('CreateRouteEntries', { n, subject: 'vpc-1' });

/** The cloud rejects overlapping changes of a load balancer or of the routes of a VPC. */
testInvariant(oneWriterPerLB, {
  keep: {
    'a call follows another call': [...called('SetLoadBalancerName', { target }), name(2)],
    'two load balancers are changed at the same time': [
      name(1),
      sent('SetLoadBalancerName', { target: aPicture({ id: 'lb-2' }) }),
    ],
    'a read is sent during a change': [name(1), sent('DescribeLoadBalancerAttribute', { target })],
    'the sender of the first call is dead': [name(1), STARTED, name(2)],
    'the first call was aborted': [sent('SetLoadBalancerName', { target, fault: 'late-commit' }), name(2)],
  },
  break: { 'a load balancer is changed during another change': [name(1), name(2)] },
});

testInvariant(oneRouteWriterPerVPC, {
  keep: {
    'a call follows another call': [...called('CreateRouteEntries', { subject: 'vpc-1' }), route(2)],
    'two VPCs are changed at the same time': [route(1), sent('DeleteRouteEntries', { subject: 'vpc-2' })],
  },
  break: { 'routes are changed during another change': [route(1), route(2)] },
});
