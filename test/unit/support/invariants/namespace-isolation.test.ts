import { aService } from '../../../support/service.ts';
import { aPicture, called, withMetadata, testInvariant, stored } from '../../../support/invariants/history-builders.ts';
import { namespaceIsolation } from '../../../support/invariants/invariants/namespace-isolation.ts';
import type { Emitted } from '../../../support/invariants/moment.ts';

const other = aService({ namespace: 'bank', name: 'vault', uid: '00000000-0000-4000-8000-000000000002' });
const both = [stored(undefined, withMetadata()), stored(undefined, other)];
const emitted = (message: string, namespace = 'shop'): Emitted => ({
  kind: 'emitted',
  target: { apiVersion: 'v1', kind: 'Service', name: 'web', namespace, uid: '' },
  type: 'Warning',
  reason: 'SyncLoadBalancerFailed',
  message,
});
const group = (VServerGroupName: string) =>
  called('CreateVServerGroup', { target: aPicture(), parameters: { VServerGroupName } });

/** Traffic or messages of one tenant must not reach another tenant. */
testInvariant(namespaceIsolation, {
  keep: {
    'an event of a Service contains its own namespace': [...both, emitted('port 80 is shop/web’s')],
    'its own load balancer is changed': [...both, ...group('k8s/80/web/shop/c1')],
  },
  break: {
    'an event of a Service contains another namespace': [...both, emitted('port 80 is bank/vault’s')],
    'an event of a Service contains a listener name with another namespace': [
      ...both,
      emitted('the listener is k8s/80/vault/bank/c1'),
    ],
    'the load balancer of another namespace is changed': [...both, ...group('k8s/80/vault/bank/c1')],
  },
});
