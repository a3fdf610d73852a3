import assert from 'node:assert/strict';
import { resettableOptions, removedOptions } from '../../../../src/clb/desired/resettable-options.ts';
import type { LoadBalancerId } from '../../../../src/clb/model/ids.ts';
import type { Use } from '../../../../src/clb/model/state.ts';

const OWNED: Use = { kind: 'owned' };
const reused = (overrideListeners: boolean): Use => ({
  kind: 'reused',
  id: 'lb-1' as LoadBalancerId,
  overrideListeners,
});
const ASKED = { name: 'shop', scheduler: 'wrr', persistenceTimeout: 0, vswitchId: 'vsw-1' } as const;

describe('what was put up for a Service', () => {
  it('is what stays when the annotation goes, on a load balancer of its own', () => {
    assert.deepEqual(resettableOptions(ASKED, OWNED), new Set(['name', 'scheduler', 'persistenceTimeout']));
  });

  it('is what listeners have where those of a load balancer that people brought are managed, else nothing', () => {
    assert.deepEqual(resettableOptions(ASKED, reused(true)), new Set(['scheduler', 'persistenceTimeout']));
    assert.deepEqual(resettableOptions(ASKED, reused(false)), new Set());
  });

  const applied = new Set(['name', 'scheduler', 'idleTimeout'] as const);
  const removed = {
    'is put back where it is no longer asked for': [{ scheduler: 'wrr' }, OWNED, ['name', 'idleTimeout']],
    'is not put back at a load balancer that people brought, but at its listeners': [
      {},
      reused(true),
      ['scheduler', 'idleTimeout'],
    ],
    'is not put back where listeners are not managed': [{}, reused(false), []],
  } as const;
  for (const [sentence, [options, use, expected]] of Object.entries(removed)) {
    it(sentence, () => assert.deepEqual(removedOptions(applied, options, use), new Set(expected)));
  }
});
