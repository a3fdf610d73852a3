import { aPicture, called, withMetadata, testInvariant, stored } from '../../../support/invariants/history-builders.ts';
import { addBeforeRemove } from '../../../support/invariants/invariants/add-before-remove.ts';

const target = aPicture({ groups: [{ id: 'rsp-1', name: 'k8s/80/web/shop/c1', backends: [] }] });
const parameters = { VServerGroupId: 'rsp-1' };
const add = (at = 0, outcome = 'OK') => called('AddVServerGroupBackendServers', { target, parameters, at, outcome });
const remove = called('RemoveVServerGroupBackendServers', { target, parameters });

/** A removal before the addition leaves a port with fewer backends, or with none, for a moment. */
testInvariant(addBeforeRemove, {
  keep: {
    'a backend is added before another is removed': [...add(), ...remove],
    'the group is full until a backend is removed': [...add(0, 'BackendServersQuotaExceed.Limit'), ...remove, ...add()],
    'a later reconcile adds a backend': [...remove, ...add(60)],
    'a backend is added because of a later change': [...remove, stored(undefined, withMetadata()), ...add()],
    'a user makes the change': [
      ...remove,
      ...called('AddVServerGroupBackendServers', { target, parameters, userAgent: 'test' }),
    ],
  },
  break: {
    'a backend is removed before another is added': [...remove, ...add()],
    'a listener is stopped': called('StopLoadBalancerListener', { target }),
  },
});
