import assert from 'node:assert/strict';
import { resettableOptions, removedOptions } from '../../../../src/clb/desired/resettable-options.ts';
import type { LoadBalancerId } from '../../../../src/clb/model/ids.ts';
import type { Use } from '../../../../src/clb/model/desired-and-observed-state.ts';

const OWNED: Use = { kind: 'owned' };
const reused = (overrideListeners: boolean): Use => ({
  kind: 'reused',
  id: 'lb-1' as LoadBalancerId,
  overrideListeners,
});
const REQUESTED = { name: 'shop', scheduler: 'wrr', persistenceTimeout: 0, vswitchId: 'vsw-1' } as const;

/** An attribute returns to its default only if the Service had set its annotation, because any other value may belong to the user. */
describe('the resettable options of a Service', () => {
  it('on an owned load balancer are those whose value stays without the annotation', () => {
    assert.deepEqual(resettableOptions(REQUESTED, OWNED), new Set(['name', 'scheduler', 'persistenceTimeout']));
  });

  it('on a user-managed load balancer are those of managed listeners only', () => {
    assert.deepEqual(resettableOptions(REQUESTED, reused(true)), new Set(['scheduler', 'persistenceTimeout']));
    assert.deepEqual(resettableOptions(REQUESTED, reused(false)), new Set());
  });

  const applied = new Set(['name', 'scheduler', 'idleTimeout'] as const);
  const removed = {
    'are reset without the annotation': [{ scheduler: 'wrr' }, OWNED, ['name', 'idleTimeout']],
    'are reset at listeners of a user-managed load balancer, not at the load balancer': [
      {},
      reused(true),
      ['scheduler', 'idleTimeout'],
    ],
    'are not reset without managed listeners': [{}, reused(false), []],
  } as const;
  for (const [title, [options, use, expected]] of Object.entries(removed)) {
    it(title, () => assert.deepEqual(removedOptions(applied, options, use), new Set(expected)));
  }
});
