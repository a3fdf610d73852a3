import assert from 'node:assert/strict';
import { ofOwnNamespace, slicesAcrossNamespaces } from '../../../src/clb/desired/endpoints.ts';
import { INDEX } from '../../../src/controller/kubernetes-interface.ts';
import { areOfAService, endpointsAsSlices } from '../../../src/kubernetes/endpoints-as-slices.ts';
import { keyOf, type Endpoints, type EndpointSlice } from '../../../src/base/kubernetes-objects.ts';
import type { Change } from '../../../src/base/cache-interfaces.ts';
import { watchedDouble } from '../../support/watched-cache.ts';

const endpoints = (subsets: readonly object[] | undefined, over: object = {}): Endpoints => ({
  metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1', ...over },
  ...(subsets === undefined ? {} : { subsets }),
});
const POD = { kind: 'Pod', name: 'a', uid: 'uid-a' };
const WEB = endpoints([
  {
    addresses: [{ ip: '10.0.0.1', nodeName: 'n1', targetRef: POD }],
    notReadyAddresses: [{ ip: '10.0.0.2' }],
    ports: [{ name: 'web', port: 8080, protocol: 'TCP' }],
  },
  { addresses: [{ ip: '10.0.0.3' }], ports: [{ name: 'web', port: 9090 }] },
]);

/** Older clusters have no EndpointSlices, so the controller must read the same backends from Endpoints. */
describe('Endpoints instead of EndpointSlices', () => {
  const setUp = () => {
    const cache = watchedDouble<Endpoints>([WEB]);
    return { cache, slices: endpointsAsSlices(cache) };
  };

  it('are a slice for each subset, with its ports and the readiness of its addresses', () => {
    const [first, second] = setUp().slices.byIndex(INDEX.slicesByService, keyOf(WEB));
    assert.deepEqual(first?.endpoints, [
      { addresses: ['10.0.0.1'], conditions: { ready: true }, nodeName: 'n1', targetRef: POD },
      { addresses: ['10.0.0.2'], conditions: { ready: false } },
    ]);
    assert.deepEqual(first.ports, [{ name: 'web', port: 8080, protocol: 'TCP' }]);
    assert.equal(second?.ports?.[0]?.port, 9090);
  });

  it('keep the namespace of a pod, so that the controller can ignore a pod of another namespace', () => {
    const foreign = { ...POD, namespace: 'payments' };
    const addresses = [
      { ip: '10.0.0.1', targetRef: foreign },
      { ip: '10.0.0.2', targetRef: POD },
    ];
    const [slice] = endpointsAsSlices(watchedDouble([endpoints([{ addresses }])])).values();
    assert.ok(slice !== undefined);
    assert.deepEqual(
      ofOwnNamespace(slice).endpoints?.map((each) => each.addresses),
      [['10.0.0.2']],
    );
    assert.deepEqual(slicesAcrossNamespaces([slice]), ['web']);
  });

  it('have the family of their addresses', () => {
    const [slice] = endpointsAsSlices(watchedDouble([endpoints([{ addresses: [{ ip: '2001:db8::1' }] }])])).values();
    assert.equal(slice?.addressType, 'IPv6');
  });

  it('are no slice without subsets, and no slice of another Service', () => {
    const { slices } = setUp();
    assert.deepEqual(slices.byIndex(INDEX.slicesByService, 'shop/other'), []);
    assert.deepEqual([...endpointsAsSlices(watchedDouble([endpoints(undefined)])).values()], []);
  });

  it('report changes as changes of their Service', () => {
    const { cache, slices } = setUp();
    const heard: Change<EndpointSlice>[] = [];
    slices.onChange((change) => heard.push(change));
    cache.put(endpoints([]));
    cache.remove(keyOf(WEB));
    const counts = heard.map(({ before, after }) => [before?.endpoints?.length, after?.endpoints?.length]);
    assert.deepEqual(counts, [
      [3, 0],
      [0, undefined],
    ]);
    assert.equal(heard[0]?.after?.metadata.labels?.['kubernetes.io/service-name'], 'web');
  });

  it('belong to no Service if they are the lock of a leader election', () => {
    const lock = { annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } };
    assert.equal(areOfAService(endpoints([], lock)), false);
    assert.equal(areOfAService(WEB), true);
  });
});
