import assert from 'node:assert/strict';
import { protectedLoadBalancers, protectedPatch } from '../../../src/inventory/protected-load-balancers.ts';
import type { TaggedOwner } from '../../../src/inventory/custom-resources.ts';

const regionOf = (owners: Readonly<Record<string, TaggedOwner>>) =>
  Object.entries(owners).map(([id, owner]) => ({ id, owner }));

/** The admission policies read the protected ids from a ConfigMap, which has a size limit. */
describe('the protected load balancers', () => {
  it('are those that do not belong to a user, and those that a flag names, with the reason', () => {
    const region = regionOf({
      'lb-1': 'user',
      'lb-2': 'api-server',
      'lb-3': 'this-cluster',
      'lb-4': 'other-cluster',
    });
    assert.deepEqual(protectedLoadBalancers(region, ['lb-9', 'lb-3']), {
      'lb-2': 'api-server',
      'lb-3': 'api-server',
      'lb-9': 'api-server',
      'lb-4': 'other-cluster',
    });
  });

  it('are limited to the size of a ConfigMap, with those of API servers first', () => {
    const many = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [
        `lb-bp1${String(index).padStart(18, '0')}`,
        'this-cluster' as const,
      ]),
    );
    const found = protectedLoadBalancers(regionOf({ ...many, 'lb-z': 'other-cluster' }), ['lb-y']);
    assert.deepEqual(Object.keys(found).slice(0, 2), ['lb-y', 'lb-z']);
    assert.equal(Object.keys(found).length, 15_000);
    assert.ok(Buffer.byteLength(JSON.stringify(found)) < 1_000_000);
  });

  it('are patched exactly by the difference', () => {
    const wanted = { 'lb-1': 'api-server', 'lb-2': 'this-cluster', 'lb-3': 'api-server' } as const;
    const found = { 'lb-2': 'other-cluster', 'lb-3': 'api-server', 'lb-4': 'api-server' };
    assert.deepEqual(protectedPatch(wanted, found), { 'lb-1': 'api-server', 'lb-2': 'this-cluster', 'lb-4': null });
    assert.equal(protectedPatch(wanted, wanted), undefined);
    assert.equal(protectedPatch({}, {}), undefined);
  });
});
