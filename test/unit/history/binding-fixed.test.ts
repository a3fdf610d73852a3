import { aPicture, called, withFinalizer, HERS, testInvariant, stored } from '../../support/history/build.ts';
import { bindingFixed } from '../../support/history/invariants/binding-fixed.ts';
import { FINALIZER } from '../../support/history/ownership.ts';

const kept = withFinalizer({ finalizers: [FINALIZER] });
const begun = stored(undefined, kept, { loadBalancers: [aPicture(), aPicture(HERS)] });
const addsTo = (target: ReturnType<typeof aPicture>, outcome = 'OK') =>
  called('CreateVServerGroup', { target, outcome, parameters: { VServerGroupName: 'k8s/30080/web/shop/c1' } });

/** A Service that moves to another load balancer leaves the clients of its published address without traffic. */
testInvariant(bindingFixed, {
  keep: {
    'all resources are on the same load balancer': [begun, ...addsTo(aPicture()), ...addsTo(aPicture())],
    'the call on the other load balancer failed': [begun, ...addsTo(aPicture()), ...addsTo(aPicture(HERS), 'Busy')],
    'the Service was cleaned up before': [
      begun,
      ...addsTo(aPicture()),
      stored(kept, withFinalizer(), { loadBalancers: [aPicture()] }),
      ...addsTo(aPicture(HERS)),
    ],
    'the first load balancer does not exist any more': [
      begun,
      ...addsTo(aPicture()),
      stored(kept, kept, { loadBalancers: [aPicture(HERS)] }),
      ...addsTo(aPicture(HERS)),
    ],
  },
  break: {
    'a server group is created on another load balancer': [begun, ...addsTo(aPicture()), ...addsTo(aPicture(HERS))],
  },
});
