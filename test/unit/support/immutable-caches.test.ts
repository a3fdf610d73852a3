import assert from 'node:assert/strict';
import { keyOf } from '../../../src/base/kubernetes-objects.ts';
import { aService } from '../../support/service.ts';
import { watchedDouble } from '../../support/watched-cache.ts';

/** Returns whether any part of a value is mutable. */
const isOpen = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (!Object.isFrozen(value) || Object.values(value).some(isOpen));

/** A controller that changes a cached object would work in tests with copies, and fail in production. */
describe('the caches of tests in virtual time', () => {
  it('have immutable objects, so that a controller that changes an object fails', () => {
    const [first, second] = [aService({ annotations: { a: 'b' } }), aService({ annotations: { c: 'd' } })];
    const cache = watchedDouble([first]);
    assert.equal(isOpen(cache.get(keyOf(first))), false);
    cache.put(second);
    assert.equal(isOpen(cache.get(keyOf(second))), false);
    const { metadata } = cache.get(keyOf(second)) as { metadata: { name: string } };
    assert.throws(() => {
      metadata.name = 'another';
    }, TypeError);
  });
});
