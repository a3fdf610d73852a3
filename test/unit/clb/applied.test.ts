import assert from 'node:assert/strict';
import { LASTING, lastingOptions, readOptions, removedOptions, writeOptions } from '../../../src/clb/applied.ts';
import type { LoadBalancerId } from '../../../src/clb/ids.ts';
import type { Use } from '../../../src/clb/state.ts';

const OWNED: Use = { kind: 'owned' };
const reused = (overrideListeners: boolean): Use => ({
  kind: 'reused',
  id: 'lb-1' as LoadBalancerId,
  overrideListeners,
});
const ASKED = { name: 'shop', scheduler: 'wrr', persistenceTimeout: 0, vswitchId: 'vsw-1' } as const;

describe('what was put up for a Service', () => {
  it('fits into a label, all of it, and is read again', () => {
    const all = writeOptions(new Set(LASTING)) ?? '';
    assert.match(all, /^[0-9a-f]{1,63}$/);
    assert.deepEqual(readOptions(all), new Set(LASTING));
    for (const name of LASTING) assert.deepEqual(readOptions(writeOptions(new Set([name]))), new Set([name]));
  });

  it('is stored by places that never change', () => {
    const places = {
      name: '1',
      chargeType: '40',
      scheduler: '80',
      healthCheckMethod: '200000000',
      listenerBandwidth: '400000000',
    } as const;
    for (const [name, stored] of Object.entries(places))
      assert.equal(writeOptions(new Set([name as keyof typeof places])), stored);
    assert.equal(LASTING.length, 35);
  });

  it('is nothing where nothing is stored, or what is stored makes no sense', () => {
    assert.equal(writeOptions(new Set()), undefined);
    for (const text of [undefined, '', 'xyz', '-1', `f${'0'.repeat(40)}`])
      assert.deepEqual(readOptions(text), new Set());
    assert.deepEqual(readOptions('f00000000000001'), new Set(['name']), 'bits of a later version are passed over');
  });

  it('is what stays when the annotation goes, on a load balancer of its own', () => {
    assert.deepEqual(lastingOptions(ASKED, OWNED), new Set(['name', 'scheduler', 'persistenceTimeout']));
  });

  it('is what listeners have where those of a load balancer that people brought are managed, else nothing', () => {
    assert.deepEqual(lastingOptions(ASKED, reused(true)), new Set(['scheduler', 'persistenceTimeout']));
    assert.deepEqual(lastingOptions(ASKED, reused(false)), new Set());
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
