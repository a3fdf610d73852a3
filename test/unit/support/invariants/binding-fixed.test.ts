import {
  aPicture,
  called,
  withMetadata,
  USER_MANAGED,
  testInvariant,
  stored,
} from '../../../support/invariants/history-builders.ts';
import { bindingFixed } from '../../../support/invariants/invariants/binding-fixed.ts';
import { FINALIZER } from '../../../support/invariants/ownership.ts';

const kept = withMetadata({ finalizers: [FINALIZER] });
const begun = stored(undefined, kept, { loadBalancers: [aPicture(), aPicture(USER_MANAGED)] });
const addsTo = (target: ReturnType<typeof aPicture>, outcome = 'OK') =>
  called('CreateVServerGroup', { target, outcome, parameters: { VServerGroupName: 'k8s/30080/web/shop/c1' } });

/** A Service that moves to another load balancer leaves the clients of its published address without traffic. */
testInvariant(bindingFixed, {
  keep: {
    'all resources are on the same load balancer': [begun, ...addsTo(aPicture()), ...addsTo(aPicture())],
    'the call on the other load balancer failed': [
      begun,
      ...addsTo(aPicture()),
      ...addsTo(aPicture(USER_MANAGED), 'Busy'),
    ],
    'the Service was cleaned up before': [
      begun,
      ...addsTo(aPicture()),
      stored(kept, withMetadata(), { loadBalancers: [aPicture()] }),
      ...addsTo(aPicture(USER_MANAGED)),
    ],
    'the first load balancer does not exist any more': [
      begun,
      ...addsTo(aPicture()),
      stored(kept, kept, { loadBalancers: [aPicture(USER_MANAGED)] }),
      ...addsTo(aPicture(USER_MANAGED)),
    ],
  },
  break: {
    'a server group is created on another load balancer': [
      begun,
      ...addsTo(aPicture()),
      ...addsTo(aPicture(USER_MANAGED)),
    ],
  },
});
