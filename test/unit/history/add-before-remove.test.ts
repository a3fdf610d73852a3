import { aPicture, called, held, judges, stored } from '../../support/history/build.ts';
import { addBeforeRemove } from '../../support/history/invariants/add-before-remove.ts';

const target = aPicture({ groups: [{ id: 'rsp-1', name: 'k8s/80/web/shop/c1', backends: [] }] });
const parameters = { VServerGroupId: 'rsp-1' };
const add = (at = 0, outcome = 'OK') => called('AddVServerGroupBackendServers', { target, parameters, at, outcome });
const remove = called('RemoveVServerGroupBackendServers', { target, parameters });

judges(addBeforeRemove, {
  keep: {
    'one comes before another goes': [...add(), ...remove],
    'there is no room before one has gone': [...add(0, 'BackendServersQuotaExceed.Limit'), ...remove, ...add()],
    'one comes later': [...remove, ...add(60)],
    'one comes because something has changed since': [...remove, stored(undefined, held()), ...add()],
    'a person does it': [
      ...remove,
      ...called('AddVServerGroupBackendServers', { target, parameters, userAgent: 'test' }),
    ],
  },
  break: {
    'one goes before another comes': [...remove, ...add()],
    'a listener is stopped': called('StopLoadBalancerListener', { target }),
  },
});
