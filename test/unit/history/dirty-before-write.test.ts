import { aPicture, BEGUN, called, held, judges, stored } from '../../support/history/build.ts';
import { dirtyBeforeWrite } from '../../support/history/invariants/dirty-before-write.ts';
import { DIGEST, FINALIZER } from '../../support/history/ownership.ts';

const plain = stored(undefined, held());
const begun = stored(held(), held(BEGUN), { by: 'controller' });
const change = called('SetLoadBalancerName', { target: aPicture() });
const clean = { finalizers: [FINALIZER], labels: { [DIGEST]: 'd' } };
const done = stored(held(BEGUN), held(clean), { by: 'controller' });
const undone = { finalizers: [FINALIZER], labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' } };

judges(dirtyBeforeWrite, {
  keep: {
    'a call comes between mark and digest': [plain, begun, ...change, done],
    'a read comes before it': [plain, ...called('DescribeLoadBalancerAttribute', { target: aPicture() }), begun],
    'somebody takes the mark off in between': [plain, begun, stored(held(BEGUN), held()), ...change],
    'all marks go': [plain, begun, stored(held(BEGUN), held({ finalizers: [FINALIZER] }), { by: 'controller' })],
  },
  break: {
    'a call comes before it': [plain, ...change, begun],
    'a call comes after the digest': [plain, begun, ...change, done, ...change],
    'it is cleared without a digest': [
      plain,
      begun,
      ...change,
      stored(held(BEGUN), held(undone), { by: 'controller' }),
    ],
  },
});
