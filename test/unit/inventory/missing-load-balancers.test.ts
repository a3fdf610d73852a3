import assert from 'node:assert/strict';
import type { LoadBalancerBinding } from '../../../src/inventory/binding.ts';
import { createRegionContents } from '../../../src/inventory/missing-load-balancers.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const binding = (name: string, id?: string): LoadBalancerBinding => ({
  metadata: { name: `uid-of-${name}`, uid: `uid-of-binding-of-${name}`, resourceVersion: '1' },
  spec: {
    service: { namespace: 'shop', name },
    clusterUID: 'uid-of-kube-system',
    ...(id === undefined ? {} : { loadBalancer: { id, use: 'owned' } }),
  },
});
const listed = (...ids: string[]): ReadonlyMap<string, object> => new Map(ids.map((id) => [id, {}]));

function observed() {
  const clock = new VirtualClock(0);
  const contents = createRegionContents(clock);
  const missing: string[] = [];
  contents.onMissing((service) => void missing.push(service));
  return { clock, contents, missing };
}

/** A load balancer that a user deleted must be noticed, although lists of the region lag. */
describe('the comparison of bindings with a complete list of the region', () => {
  it('reports exactly the Services with an unlisted load balancer', () => {
    const { contents, missing } = observed();
    contents.compare(listed('lb-a'), [binding('web', 'lb-a'), binding('api', 'lb-b'), binding('new')]);
    assert.deepEqual(missing, ['shop/api']);
  });

  it('reports a Service once, and again if its load balancer was listed in between', () => {
    const { contents, missing } = observed();
    const bindings = [binding('api', 'lb-b')];
    for (let pass = 0; pass < 3; pass += 1) contents.compare(listed(), bindings);
    assert.deepEqual(missing, ['shop/api']);
    contents.compare(listed('lb-b'), bindings);
    contents.compare(listed(), bindings);
    assert.deepEqual(missing, ['shop/api', 'shop/api']);
  });

  it('gives a new load balancer a minute to be listed, unless it was deleted', async () => {
    const { clock, contents, missing } = observed();
    const bindings = [binding('web', 'lb-a'), binding('api', 'lb-b')];
    contents.changed('lb-a');
    contents.changed('lb-b');
    contents.deleted('lb-b');
    await clock.advance(59_999);
    contents.compare(listed(), bindings);
    assert.deepEqual([missing, contents.mayBeOutdated('lb-a')], [['shop/api'], true]);
    await clock.advance(1);
    contents.compare(listed(), bindings);
    assert.deepEqual([missing, contents.mayBeOutdated('lb-a')], [['shop/api', 'shop/web'], false]);
  });
});
