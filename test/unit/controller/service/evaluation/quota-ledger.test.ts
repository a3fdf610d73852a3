import assert from 'node:assert/strict';
import { WELL_KNOWN } from '../../../../../src/annotation/well-known-names.ts';
import { QuotaLedger } from '../../../../../src/controller/service/evaluation/quota-ledger.ts';
import type { BindingSource } from '../../../../../src/controller/service/state/binding-store.ts';
import type { AdmittedUsage, LoadBalancerBinding } from '../../../../../src/inventory/binding.ts';
import { keyOf, objectKey, type ObjectKey, type Service } from '../../../../../src/base/kubernetes-objects.ts';
import { NO_USAGE } from '../../../../../src/policy/usage.ts';
import { aService, type ServiceInput } from '../../../../support/service.ts';
import { watchedDouble } from '../../../../support/watched-cache.ts';

const listeners = (count: number): AdmittedUsage => ({ ...NO_USAGE, listeners: count });

function aBinding({ metadata }: Service, admittedUsage?: AdmittedUsage): LoadBalancerBinding {
  return {
    metadata: { name: metadata.uid, uid: `of-${metadata.uid}`, resourceVersion: '1' },
    spec: {
      service: { namespace: metadata.namespace, name: metadata.name },
      clusterUID: 'cluster',
      ...(admittedUsage === undefined ? {} : { admittedUsage }),
    },
  };
}

/** Creates a source of bindings that a test fills. */
function bindingsDouble(): BindingSource & {
  readonly put: (binding: LoadBalancerBinding) => void;
  readonly remove: (service: Service) => void;
} {
  const stored = new Map<ObjectKey, LoadBalancerBinding>();
  const handlers: ((key: ObjectKey, binding: LoadBalancerBinding) => void)[] = [];
  return {
    keys: () => stored.keys(),
    get: (key) => stored.get(key),
    onChange: (handler) => void handlers.push(handler),
    put: (binding) => {
      stored.set(keyOf(binding), binding);
      for (const handler of handlers) handler(keyOf(binding), binding);
    },
    remove: (service) => {
      const key = objectKey(service.metadata.uid);
      const binding = stored.get(key);
      assert.ok(binding !== undefined);
      stored.delete(key);
      for (const handler of handlers) handler(key, binding);
    },
  };
}

const named = (name: string, input: ServiceInput = {}): Service => aService({ uid: `uid-${name}`, ...input, name });
const withFinalizer = (service: Service): Service => ({
  ...service,
  metadata: { ...service.metadata, finalizers: [WELL_KNOWN.finalizer.name] },
});

function opened(...stored: readonly Service[]) {
  const services = watchedDouble<Service>(stored);
  const bindings = bindingsDouble();
  const falls: string[] = [];
  const open = (): QuotaLedger => {
    const ledger = new QuotaLedger(services, bindings);
    ledger.onFall((namespace) => falls.push(namespace));
    return ledger;
  };
  return { services, bindings, falls, open };
}

const sumOf = (ledger: QuotaLedger): number =>
  [...ledger.values()].reduce((sum, { usage }) => sum + usage.listeners, 0);
const A = named('a');
const B = named('b', { namespace: 'bank' });

/** Two Services that are evaluated concurrently must not both get the last part of a quota. */
describe('the quota ledger', () => {
  it('sums the recorded usage of bindings by the namespace of the Service', () => {
    const { bindings, open } = opened();
    bindings.put(aBinding(A, listeners(2)));
    bindings.put(aBinding(B, listeners(3)));
    assert.deepEqual(
      [...open().values()],
      [
        { namespace: 'shop', usage: listeners(2) },
        { namespace: 'bank', usage: listeners(3) },
      ],
    );
  });

  it('counts a reservation from the decision until the reconcile ends, and then the record', () => {
    const { bindings, open } = opened(A);
    const ledger = open();
    ledger.reserve(A, listeners(3));
    assert.deepEqual([sumOf(ledger), ledger.reservedFor(A)], [3, listeners(3)]);
    bindings.put(aBinding(A, listeners(3)));
    bindings.put(aBinding(A, listeners(1)));
    assert.equal(sumOf(ledger), 3, 'the reservation lasts');
    ledger.release(A);
    assert.deepEqual([sumOf(ledger), ledger.reservedFor(A)], [1, undefined]);
  });

  it('never reserves less than the recorded usage', () => {
    const { bindings, open } = opened(A);
    bindings.put(aBinding(A, listeners(4)));
    const ledger = open();
    ledger.reserve(A, listeners(1));
    assert.equal(sumOf(ledger), 4);
  });

  it('counts a Service by its UID, so a recreated Service counts in addition to the old usage', () => {
    const { bindings, open } = opened(A);
    bindings.put(aBinding(A, listeners(2)));
    const ledger = open();
    ledger.reserve(named('a', { uid: 'another' }), listeners(1));
    assert.equal(sumOf(ledger), 3);
  });

  it('reports each change of usage by its difference, and each decrease by its namespace', () => {
    const { bindings, falls, open } = opened(A);
    const ledger = open();
    const changes: number[] = [];
    ledger.onChange(({ usage }) => changes.push(usage.listeners));
    ledger.reserve(A, listeners(3));
    bindings.put(aBinding(A, listeners(3)));
    ledger.release(A);
    assert.deepEqual([changes, falls], [[3], []]);
    bindings.put(aBinding(A, listeners(1)));
    bindings.remove(A);
    assert.deepEqual(
      [changes, falls],
      [
        [3, -2, -1],
        ['shop', 'shop'],
      ],
    );
  });

  describe('is incomplete', () => {
    const everywhere = (): boolean => true;
    const AWAITED = withFinalizer(A);

    it('while a Service with a possible load balancer has no binding with usage', () => {
      const { bindings, falls, open } = opened(AWAITED);
      const ledger = open();
      assert.equal(ledger.isIncomplete(B, everywhere), true);
      bindings.put(aBinding(AWAITED));
      assert.equal(ledger.isIncomplete(B, everywhere), true, 'a binding without usage');
      bindings.put(aBinding(AWAITED, NO_USAGE));
      assert.deepEqual([ledger.isIncomplete(B, everywhere), falls], [false, ['shop']]);
    });

    it('only for other Services, and only for quotas that count the namespace', () => {
      const ledger = opened(AWAITED).open();
      assert.equal(ledger.isIncomplete(AWAITED, everywhere), false);
      assert.equal(
        ledger.isIncomplete(B, (namespace) => namespace === 'bank'),
        false,
      );
    });

    it('until the Service without a binding is deleted', () => {
      const { services, falls, open } = opened(AWAITED);
      const ledger = open();
      services.put({ ...AWAITED, metadata: { ...AWAITED.metadata, resourceVersion: '2' } });
      assert.deepEqual([ledger.isIncomplete(B, everywhere), falls], [true, []]);
      services.remove(keyOf(AWAITED));
      assert.deepEqual([ledger.isIncomplete(B, everywhere), falls], [false, ['shop']]);
    });

    it('again after the binding of a Service is deleted', () => {
      const { bindings, open } = opened(AWAITED);
      bindings.put(aBinding(AWAITED, listeners(1)));
      const ledger = open();
      assert.equal(ledger.isIncomplete(B, everywhere), false);
      bindings.remove(AWAITED);
      assert.equal(ledger.isIncomplete(B, everywhere), true);
    });

    const NEVER: Readonly<Record<string, Service>> = {
      'a Service that never had a load balancer': A,
      'a Service of another controller': {
        ...named('a', { type: 'LoadBalancer' }),
        spec: { type: 'LoadBalancer', loadBalancerClass: 'other' },
        status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
      },
      'a Service with a finalizer that another controller manages': withFinalizer({
        ...A,
        spec: { type: 'LoadBalancer', loadBalancerClass: 'other' },
      }),
    };
    for (const [what, service] of Object.entries(NEVER)) {
      it(`never because of ${what}`, () => {
        assert.equal(opened(service).open().isIncomplete(B, everywhere), false);
      });
    }
  });
});
