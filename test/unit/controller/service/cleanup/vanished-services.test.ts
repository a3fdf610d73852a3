import assert from 'node:assert/strict';
import { isToCleanUp } from '../../../../../src/controller/service/cleanup/vanished-services.ts';
import { PortcullisError } from '../../../../../src/base/errors.ts';
import type { LoadBalancerBinding } from '../../../../../src/inventory/binding.ts';
import type { Service } from '../../../../../src/base/kubernetes-objects.ts';
import { aService } from '../../../../support/service.ts';

const { uid } = aService().metadata;
const BINDING = {
  metadata: { name: uid, uid: 'binding-1', resourceVersion: '1' },
  spec: { service: { namespace: 'shop', name: 'web' }, clusterUID: 'c1' },
} as unknown as LoadBalancerBinding;

const PUBLISHED: Service = {
  ...aService({ uid: 'other' }),
  status: { loadBalancer: { ingress: [{ ip: '47.1.1.1' }] } },
};

/** Only the binding of a Service that really vanished may lead to a cleanup. */
describe('the binding of a Service that is not in the cache', () => {
  const ROWS: Readonly<
    Record<
      string,
      readonly [stored: Service | undefined, isToCleanUp: boolean, bound?: string | undefined, operation?: 'Cleanup']
    >
  > = {
    'is cleaned up if the API server has no such Service': [undefined, true],
    'is cleaned up if the API server has another Service with the name': [aService({ uid: 'other' }), true],
    'becomes an orphan if another Service with the name is bound': [aService({ uid: 'other' }), false, 'lb-1'],
    'becomes an orphan if another Service with the name has an address': [PUBLISHED, false],
    'is cleaned up if its cleanup started, although another Service has an address': [
      PUBLISHED,
      true,
      undefined,
      'Cleanup',
    ],
    'stays if the API server still has the Service': [aService(), false],
  };
  for (const [title, [stored, expected, bound, operation]] of Object.entries(ROWS))
    it(title, async () => {
      const get = (): Promise<Service> =>
        stored === undefined ? Promise.reject(new PortcullisError('NotFound', 'not found')) : Promise.resolve(stored);
      const deps = {
        bindings: {
          isOfOtherCluster: () => Promise.resolve(false),
          orphan: () => Promise.resolve(),
          recordOf: () => (bound === undefined ? {} : { loadBalancer: { id: bound } }),
        },
        leadership: { isOutdated: () => false, confirm: () => undefined },
        writer: { get },
      };
      const { signal } = new AbortController();
      const spec = {
        ...BINDING.spec,
        ...(operation === undefined ? {} : { operation: { type: operation, state: 'InProgress' } }),
      };
      const binding = { ...BINDING, spec } as LoadBalancerBinding;
      const successor = stored?.metadata.uid === uid ? undefined : stored;
      type Deps = Parameters<typeof isToCleanUp>[3];
      assert.equal(await isToCleanUp(binding, successor, signal, deps as unknown as Deps), expected);
    });
});
